/** Finds required elements by id, and creates elements. */

/** @throws Error if the element is missing or of another kind. */
export function required<T extends Element>(
  id: string,
  kind: abstract new (...args: never[]) => T,
): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`index.html has no ${kind.name} with the id "${id}"`);
}

/** An element with attributes and children. Strings become text, never markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: { readonly [name: string]: string },
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}
