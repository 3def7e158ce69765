/** Finds required elements by id. */

/** @throws Error if the element is missing or of another kind. */
export function required<T extends Element>(
  id: string,
  kind: abstract new (...args: never[]) => T,
): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`index.html has no ${kind.name} with the id "${id}"`);
}
