/** Tables of the dashboard: labeled columns, and a body that the view fills. */
import { h } from "@waggle/embed/dom";

/** A column with its CSS classes, such as `number` and `roomy` (hidden on narrow screens). */
type Column = string | { readonly label: string; readonly class: string };

/** Heading of a column of buttons, visible only to screen readers. */
export const ACTIONS: unique symbol = Symbol("actions");

function columnHead(column: Column | typeof ACTIONS): HTMLElement {
  if (column === ACTIONS) {
    return h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Actions"));
  }
  if (typeof column === "string") return h("th", { scope: "col" }, column);
  return h("th", { scope: "col", class: column.class }, column.label);
}

/** A table that scrolls horizontally if it does not fit. */
export function rowsTable(
  columns: readonly (Column | typeof ACTIONS)[],
  body: HTMLTableSectionElement,
): HTMLElement {
  const head = h("thead", {}, h("tr", {}, ...columns.map(columnHead)));
  return h("div", { class: "scroll" }, h("table", { class: "rows" }, head, body));
}
