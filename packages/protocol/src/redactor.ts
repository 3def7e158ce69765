/**
 * The Redactor port: what the policy sees instead of personal data. The map from placeholder to
 * value never leaves memory.
 */
export interface Redactor {
  /** Replaces personal data by typed placeholders such as `[EMAIL_1]`. Idempotent. */
  redact(text: string): string;
  /** Redacts every string of a JSON value. */
  redactJson(value: unknown): unknown;
  /** Puts values back for a tool that runs in the page. Strings inside JSON are replaced too. */
  restore(value: unknown): unknown;
}
