/** A guard for texts in JSON of unknown origin. */

export function isText(value: unknown): value is string {
  return typeof value === "string";
}
