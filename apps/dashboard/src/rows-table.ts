/** The dashboard's tables: a labelled column each, rows in a body that its view fills. */
import { h } from "./dom.ts";

/** A column with its CSS classes: `number`, `roomy` (hidden where it is narrow). */
type Column = string | { readonly label: string; readonly class: string };

/** The heading of a column of buttons, read aloud only. */
export const ACTIONS: unique symbol = Symbol("actions");

function columnHead(column: Column | typeof ACTIONS): HTMLElement {
  if (column === ACTIONS) {
    return h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Actions"));
  }
  if (typeof column === "string") return h("th", { scope: "col" }, column);
  return h("th", { scope: "col", class: column.class }, column.label);
}

/** A table that scrolls sideways where it does not fit. */
export function rowsTable(
  columns: readonly (Column | typeof ACTIONS)[],
  body: HTMLTableSectionElement,
): HTMLElement {
  const head = h("thead", {}, h("tr", {}, ...columns.map(columnHead)));
  return h("div", { class: "scroll" }, h("table", { class: "rows" }, head, body));
}
