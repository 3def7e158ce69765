/** A type guard for strings in untrusted JSON. */

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
