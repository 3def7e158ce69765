/** A panel with a title, captions and a table that scrolls if it is too wide. */
import { h } from "@waggle/embed/dom";

/** Heading of a column. `kind`: the class of its cell, such as `number`. */
type Column = readonly [label: string, kind?: string];

export function tablePanel(
  title: string,
  captions: readonly string[],
  columns: readonly Column[],
  rows: readonly HTMLElement[],
): HTMLElement {
  const heads = columns.map(([label, kind = ""]) => h("th", { scope: "col", class: kind }, label));
  return h(
    "section",
    { class: "panel versions-panel" },
    h("header", {}, h("h2", {}, title)),
    ...captions.map((caption) => h("p", { class: "caption" }, caption)),
    h(
      "div",
      { class: "scroll" },
      h(
        "table",
        { class: "versions" },
        h("thead", {}, h("tr", {}, ...heads)),
        h("tbody", {}, ...rows),
      ),
    ),
  );
}
