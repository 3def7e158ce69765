/**
 * Stand-ins for text that a chat template must not read. A template is rendered with a sentinel in
 * place of every such text and split at the sentinels afterwards, so what the template wrote and
 * what somebody else wrote never meet in one string.
 *
 * A sentinel also shows what the template did to it: the quote inside comes back escaped where the
 * template wrote JSON, and the EM SPACE at either end is gone where the template trimmed.
 */

const SENTINEL = /(\u2003?)\uE000(\d+)(\\?)"\uE001(\u2003?)/gu;
const SENTINEL_CHARACTER = /[\uE000\uE001\u2003]/u;

/** A piece of a rendering: text of the template, or text that stood behind a sentinel. */
export type RenderedPart = { readonly from: "template" | "outside"; readonly text: string };

/** Keeps texts and gives sentinels for them. One per rendering. */
export class SentinelTable {
  readonly #texts: string[] = [];
  readonly #sentinels = new Map<string, string>();

  /** The same text has the same sentinel, so that a template can still compare. */
  sentinelOf(text: string): string {
    const known = this.#sentinels.get(text);
    if (known !== undefined) return known;
    const sentinel = `\u2003\uE000${this.#texts.push(text) - 1}"\uE001\u2003`;
    this.#sentinels.set(text, sentinel);
    return sentinel;
  }

  /** Splits a rendering; texts come back as the template would have shown them. Empty parts are left out. */
  split(rendered: string): RenderedPart[] {
    const parts: RenderedPart[] = [];
    let start = 0;
    for (const match of rendered.matchAll(SENTINEL)) {
      const [whole, before, index, escape, after] = match;
      parts.push({ from: "template", text: rendered.slice(start, match.index) });
      let text = this.#texts[Number(index)] ?? "";
      if (before === "") text = text.trimStart();
      if (after === "") text = text.trimEnd();
      if (escape !== "") text = JSON.stringify(text).slice(1, -1);
      parts.push({ from: "outside", text });
      start = match.index + whole.length;
    }
    parts.push({ from: "template", text: rendered.slice(start) });
    return parts.filter((part) => part.text !== "");
  }
}

/** True for text that could be taken for a sentinel and so must stand behind one. */
export function looksLikeSentinel(text: string): boolean {
  return SENTINEL_CHARACTER.test(text);
}
