/** How messages for authors show a value of the wrong kind. */

/** The kind of a value, such as `missing` or `an array`. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value;
}

/** A value for an error message. */
export function shown(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 64));
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return kindOf(value);
}
