/**
 * The Redactor port: replaces personal data by placeholders before the policy sees it. The mapping
 * from placeholders to values never leaves memory.
 */
export interface Redactor {
  /** Replaces personal data with typed placeholders such as `[EMAIL_1]`. Idempotent. */
  redact(text: string): string;
  /** Redacts every string in a JSON value. */
  redactJson(value: unknown): unknown;
  /** Restores the values for a tool that runs in the page, also in strings within JSON. */
  restore(value: unknown): unknown;
}
