/** A JSON value for people: words and lists instead of braces and quotes. */
import { isObject } from "@waggle/protocol";
import { h } from "../dom.ts";
import type { PanelTexts } from "./panel-texts.ts";

/** Words for values that are no text. */
export type ValueTexts = Pick<PanelTexts, "yes" | "no" | "nothing">;

/** An element that shows the value. */
export function plainValue(value: unknown, texts: ValueTexts): HTMLElement {
  if (Array.isArray(value) && value.length > 0) {
    const items: readonly unknown[] = value;
    if (items.every((item) => !isObject(item) && !Array.isArray(item))) {
      return h("span", {}, items.map((item) => wordsOf(item, texts)).join(", "));
    }
    return h("ul", {}, ...items.map((item) => h("li", {}, plainValue(item, texts))));
  }
  if (isObject(value) && Object.keys(value).length > 0) {
    const rows = Object.entries(value).map(([name, member]) =>
      h("li", {}, `${name.replaceAll("_", " ")}: `, plainValue(member, texts)),
    );
    return h("ul", {}, ...rows);
  }
  return h("span", {}, wordsOf(value, texts));
}

function wordsOf(value: unknown, texts: ValueTexts): string {
  if (typeof value === "boolean") return value ? texts.yes : texts.no;
  // An empty list, object or text, and `null`.
  return (
    (typeof value === "string" || typeof value === "number" ? `${value}` : "") || texts.nothing
  );
}
