/** Replays a grammar over tokens that were sampled under it. */
import { WaggleError } from "./errors.ts";
import type { CompiledGrammar } from "./grammar.ts";

/** Settings of the generation to replay. */
export type GrammarReplayOptions = {
  /** `tokenBudget` of the sample. */
  readonly tokenBudget: number;
  readonly vocabularySize: number;
};

/** Different masks to remember within one turn. */
const MOST_LISTS = 8;

/**
 * The ids that the grammar allowed at each token: `[T]` ascending lists, `null` where all were.
 *
 * @param tokenIds - `[T]` tokens of one generation, from its first token.
 * @throws WaggleError `INVALID_ARGUMENT` naming the first forbidden token.
 */
export function replayGrammar(
  grammar: CompiledGrammar,
  tokenIds: readonly number[],
  { tokenBudget, vocabularySize }: GrammarReplayOptions,
): (readonly number[] | null)[] {
  const matcher = grammar.createMatcher();
  const lists = new MaskLists(vocabularySize);
  try {
    return tokenIds.map((id, index) => {
      const mask = matcher.nextMask(tokenBudget - index);
      if (mask !== null && ((mask[id >> 5] ?? 0) & (1 << (id & 31))) === 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `the grammar forbids token ${id} at index ${index}; pass the grammar and token budget it was sampled under`,
        );
      }
      const allowed = mask && lists.of(mask);
      // The last token may be a stop token; no mask follows it, so it is not accepted.
      if (index + 1 < tokenIds.length) matcher.accept(id);
      return allowed;
    });
  } finally {
    matcher.dispose();
  }
}

/**
 * The ids of masks. Equal masks share one list: most tokens of a turn have one of a few masks, and a list of a large
 * vocabulary takes a megabyte.
 */
class MaskLists {
  readonly #vocabularySize: number;
  /** The most recent first. */
  #known: readonly { readonly mask: Uint32Array; readonly ids: readonly number[] }[] = [];

  constructor(vocabularySize: number) {
    this.#vocabularySize = vocabularySize;
  }

  of(mask: Uint32Array): readonly number[] {
    const found = this.#known.find((one) => isSame(one.mask, mask));
    // The mask is only valid until the next one.
    const list = found ?? { mask: mask.slice(), ids: idsOf(mask, this.#vocabularySize) };
    this.#known = [list, ...this.#known.filter((one) => one !== list)].slice(0, MOST_LISTS);
    return list.ids;
  }
}

function isSame(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((word, i) => word === b[i]);
}

/** The ids whose bits are set, in ascending order. */
function idsOf(mask: Uint32Array, vocabularySize: number): number[] {
  const ids: number[] = [];
  for (let word = 0; word < mask.length; word++) {
    for (let bits = mask[word] as number; bits !== 0; bits &= bits - 1) {
      const id = word * 32 + (31 - Math.clz32(bits & -bits));
      if (id < vocabularySize) ids.push(id);
    }
  }
  return ids;
}
