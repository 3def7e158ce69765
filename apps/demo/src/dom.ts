/** Elements by id that must be there, and elements to be made. */

/** @throws Error where the page's markup and this code disagree. */
export function required<T extends Element>(
  id: string,
  kind: abstract new (...args: never[]) => T,
): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`index.html must have a ${kind.name} with id "${id}"`);
}

/** An element with attributes and children; strings are text, never markup. */
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
