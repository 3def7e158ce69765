/**
 * Texts that a chat template must not read. A template is rendered with a sentinel in place of every such text, and the
 * result is split at the sentinels, so that the texts never produce special tokens.
 *
 * A sentinel also reveals whether the template writes the text as JSON: its quote is then escaped.
 */
import type { Tokenizer } from "./tokenizer.ts";

const SENTINEL = /\uE000(\d+)(\\?)"\uE001/u;
/** Text that could be mistaken for a sentinel must be replaced by one. */
const SENTINEL_CHARACTER = /[\uE000\uE001\u2003]/u;

/** A text for renderings that find out what a template writes around it. */
export const SAID = "\uE000\uE001";

/** Texts of one rendering. */
export type PromptTexts = {
  /** The text with a sentinel instead of all but its outer whitespace, which a template may trim. */
  readonly shielded: (text: string) => string;
  /** The text itself, or as `shielded` if it contains special tokens. For the page's own texts. */
  readonly guarded: (text: string) => string;
  /** Encodes a rendering, or a part of one. */
  readonly encode: (rendered: string) => number[];
};

/**
 * @param isSeparate - true: each text is tokenized alone, with its outer whitespace. False: texts and template are
 *   tokenized together, as `apply_chat_template` does, unless that would change special tokens.
 */
export function createPromptTexts(tokenizer: Tokenizer, isSeparate: boolean): PromptTexts {
  const texts: string[] = [];
  const shielded = (text: string): string =>
    text.replace(isSeparate ? /[^]+/ : /\S([^]*\S)?/, (inner) => {
      // Equal texts have equal sentinels, so that a template can compare them.
      if (!texts.includes(inner)) texts.push(inner);
      return `\uE000${texts.indexOf(inner)}"\uE001`;
    });
  const specials = (tokenIds: readonly number[]): string =>
    String(tokenIds.filter((id) => isSpecial(tokenizer, id)));
  return {
    shielded,
    guarded: (text) => {
      const isPlain = String(tokenizer.encode(text)) === String(tokenizer.encodeTemplate(text));
      return isPlain && !SENTINEL_CHARACTER.test(text) ? text : shielded(text);
    },
    encode: (rendered) => {
      // Template text, index of a text and escape, in turns.
      const parts = rendered.split(SENTINEL).map((part, i, all) => {
        if (i % 3 !== 1) return i % 3 === 0 ? part : "";
        const text = texts[Number(part)] ?? "";
        return all[i + 1] === "" ? text : JSON.stringify(text).slice(1, -1);
      });
      const separate = parts.flatMap((part, i) =>
        i % 3 === 0 ? tokenizer.encodeTemplate(part) : tokenizer.encode(part),
      );
      if (isSeparate) return separate;
      const joint = tokenizer.encodeTemplate(parts.join(""));
      return specials(joint) === specials(separate) ? joint : separate;
    },
  };
}

/** Whether a rendering has a shielded text, as it is or as JSON. */
export function isWritten(shielded: string, rendered: string): boolean {
  const text = shielded.trim();
  return rendered.includes(text) || rendered.includes(JSON.stringify(text).slice(1, -1));
}

/** Whether a token is special or added. */
export function isSpecial(tokenizer: Tokenizer, tokenId: number): boolean {
  return tokenizer.specialTokenId(tokenizer.decode([tokenId])) === tokenId;
}
