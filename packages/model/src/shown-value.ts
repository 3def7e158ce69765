/**
 * A value of an untrusted file as text for an error, at most 100 characters. Only its outermost level is written, because
 * `JSON.stringify` overflows the stack if a value nests deeply.
 */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    inner === value || !(inner instanceof Object) ? inner : "…",
  );
  return (text ?? "nothing").slice(0, 100);
}
