/** Replays a grammar over tokens that were sampled under it. */
import { WaggleError } from "./errors.ts";
import type { CompiledGrammar } from "./grammar.ts";

/** Settings of the generation to replay. */
export type GrammarReplayOptions = {
  /** `tokenBudget` of the sample. */
  readonly tokenBudget: number;
  readonly vocabularySize: number;
};

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
  try {
    return tokenIds.map((id, index) => {
      const mask = matcher.nextMask(tokenBudget - index);
      if (mask !== null && ((mask[id >> 5] ?? 0) & (1 << (id & 31))) === 0) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `the grammar forbids token ${id} at index ${index}; pass the grammar and token budget it was sampled under`,
        );
      }
      const allowed = mask && idsOf(mask, vocabularySize);
      // The last token may be a stop token; no mask follows it, so it is not accepted.
      if (index + 1 < tokenIds.length) matcher.accept(id);
      return allowed;
    });
  } finally {
    matcher.dispose();
  }
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
