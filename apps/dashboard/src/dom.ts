/** Creates elements. Strings become text, never markup, because much of the content is untrusted. */

/** Content of an element; `null` is left out. */
export type Child = Node | string | null;
type Attribute = string | number | boolean | null | ((event: Event) => void);

function apply(made: Element, attributes: { readonly [name: string]: Attribute }): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

/** Creates an HTML element. An attribute whose value is a function is a listener for that event. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: { readonly [name: string]: Attribute } = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  apply(made, attributes);
  made.append(...children.filter((child) => child !== null));
  return made;
}
