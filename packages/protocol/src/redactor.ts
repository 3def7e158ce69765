import type { JsonSchema } from "./tool.ts";

/**
 * The Redactor port: replaces personal data by placeholders before the policy sees it. The mapping
 * from placeholders to values never leaves memory.
 */
export interface Redactor {
  /** Replaces personal data with typed placeholders such as `[EMAIL_1]`. Idempotent. */
  redact(text: string): string;
  /** Redacts every string in a JSON value, and the whole value of a field that is named like a secret (`password`). */
  redactJson(value: unknown): unknown;
  /**
   * Redacts the arguments of a call: only fields that are named like a secret, or have `format: "password"`. The policy
   * has read no other personal data, so the rest is kept. Needs no `prepare`.
   * @param schema - the JSON Schema of the arguments.
   */
  redactArguments(args: unknown, schema?: JsonSchema): unknown;
  /** Restores the values for a tool that runs in the page, also in strings within JSON. */
  restore(value: unknown): unknown;
  /** Loads what redacting the value needs. A redactor that has this function may throw for a value that was not prepared. */
  prepare?(value: unknown): Promise<void>;
}
