/** True for a parsed JSON object; false for arrays, `null` and primitives. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
