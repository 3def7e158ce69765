/** Data collection in the page: consent, redaction, the durable outbox, upload and deletion. */
export { createConsentReceipts } from "./consent-receipts.ts";
export type { ConsentReceipts } from "./consent-receipts.ts";
export { createConsentStore } from "./consent-store.ts";
export type {
  ConsentDecision,
  ConsentStore,
  ConsentStoreOptions,
  ShownText,
} from "./consent-store.ts";
export { createEdgeSession } from "./edge-session.ts";
export type { EdgeSession, EdgeSessionOptions, Fetch } from "./edge-session.ts";
export { isFeedbackOrOutcome } from "./feedback-or-outcome.ts";
export { forgetVisitor } from "./forget-visitor.ts";
export type { ForgetOptions } from "./forget-visitor.ts";
export { createMemoryStorage, usableStorage } from "./key-value-storage.ts";
export type { KeyValueStorage } from "./key-value-storage.ts";
export { createOutbox } from "./outbox.ts";
export type { OutboxOptions } from "./outbox.ts";
export type {
  Claimed,
  ClaimOptions,
  EnqueueResult,
  Outbox,
  OutboxDetail,
  OutboxSummary,
  Settlement,
} from "./outbox-contract.ts";
export type { OutboxEntry, OutboxState } from "./outbox-entry.ts";
export { readPageData } from "./page-data.ts";
export { REDACTION_TYPES } from "./redaction/built-in-rules.ts";
export type { RedactionRule } from "./redaction/rule.ts";
export { retryAfterMs } from "./retry-after.ts";
export { rotatePseudonym } from "./rotate-pseudonym.ts";
export { createLazyRedactor } from "./redaction/lazy-redactor.ts";
export type { LazyRedactor } from "./redaction/lazy-redactor.ts";
export { createRedactor } from "./redaction/redactor.ts";
export type { RedactorOptions } from "./redaction/redactor.ts";
export { scheduleTimeout, withinTimeLimit } from "./time-limit.ts";
export type { Schedule, TimeLimit } from "./time-limit.ts";
export { createUploader } from "./uploader.ts";
export type { FlushReport, Uploader, UploaderOptions, UploaderStatus } from "./uploader.ts";
