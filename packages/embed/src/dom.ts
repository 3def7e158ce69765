/** Creates and finds elements. Strings become text, never markup, because much of the content is untrusted. */

/** Content of an element; `null` is left out. */
type Child = Node | string | null;
/** `true` sets an empty attribute, `false` and `null` set none. */
type Attribute = string | number | boolean | null | ((event: Event) => void);

/** Creates an HTML element. An attribute whose value is a function is a listener for that event. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: { readonly [name: string]: Attribute } = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** The element with this id. @throws Error if the page has none, or one of another kind. */
export function required<T extends Element>(
  id: string,
  kind: abstract new (...args: never[]) => T,
): T {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`the page has no ${kind.name} with the id "${id}"`);
}
