/** Validates arguments against a JSON Schema without `eval`, so that it runs under a strict CSP. */
import { Validator } from "@cfworker/json-schema";
import type { JsonSchema } from "@waggle/protocol";

/** What violates the schema, in one line that the policy reads; `null` if the value is valid. */
export function schemaViolation(schema: JsonSchema, value: unknown): string | null {
  // The validator writes into the schema, so it gets a copy.
  const validator = new Validator(structuredClone(schema), "2020-12");
  const { valid, errors } = validator.validate(value);
  if (valid) return null;
  // The last error is the most specific: outer keywords fail because inner ones do.
  const error = errors.at(-1);
  const place = error?.instanceLocation.replace(/^#\/?/, "");
  return `${place ? `${place}: ` : ""}${error?.error ?? "does not match its schema"}`.slice(0, 300);
}
