/**
 * Placeholders for text that a chat template must not read. A template is rendered with a sentinel in place of
 * every such text, and the result is split at the sentinels, so that template text and other text never mix.
 *
 * A sentinel also reveals what the template does to it: its quote is escaped if the template writes JSON, and the
 * EM SPACE at either end is missing if the template trims.
 */

const SENTINEL = /(\u2003?)\uE000(\d+)(\\?)"\uE001(\u2003?)/gu;
const SENTINEL_CHARACTER = /[\uE000\uE001\u2003]/u;

/** A piece of a rendering: template text, or text that a sentinel replaced. */
export type RenderedPart = { readonly from: "template" | "outside"; readonly text: string };

/** Holds the texts of one rendering and their sentinels. */
export class SentinelTable {
  readonly #texts: string[] = [];
  readonly #sentinels = new Map<string, string>();

  /** The sentinel of a text. Equal texts have equal sentinels, so that a template can compare them. */
  sentinelOf(text: string): string {
    const known = this.#sentinels.get(text);
    if (known !== undefined) return known;
    const sentinel = `\u2003\uE000${this.#texts.push(text) - 1}"\uE001\u2003`;
    this.#sentinels.set(text, sentinel);
    return sentinel;
  }

  /** Splits a rendering and restores the texts as the template would have written them. Omits empty parts. */
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

/** True for text that could be mistaken for a sentinel and must therefore be replaced by one. */
export function looksLikeSentinel(text: string): boolean {
  return SENTINEL_CHARACTER.test(text);
}
