/** Elements made in code. Strings are text, never markup: what is shown came from strangers. */

export type Child = Node | string | null;
type Attribute = string | number | boolean | null | ((event: Event) => void);

function apply(made: Element, attributes: { readonly [name: string]: Attribute }): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") made.addEventListener(name, value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
}

/** An HTML element; a function as attribute listens to the event of that name. */
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
