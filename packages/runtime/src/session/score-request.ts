/** What a scoring is asked for, checked, with the kept sets that its grammars give. */
import { WaggleError } from "@waggle/protocol";
import type { CompiledGrammar, GrammarSpan, GrammarSpec, ScoreRequest } from "@waggle/protocol";
import { assertTokenIds } from "../token-ids.ts";

type KeptSets = (readonly number[] | null)[];

/** @throws WaggleError saying what must be another. */
export function assertScoreRequest(
  { tokenIds, keptTokenIds, grammars }: ScoreRequest,
  limits: { readonly contextLength: number; readonly vocabularySize: number },
): void {
  assertTokenIds(tokenIds, limits.vocabularySize);
  if (tokenIds.length > limits.contextLength) {
    throw new WaggleError(
      "CONTEXT_OVERFLOW",
      `a scored sequence must hold at most ${limits.contextLength} tokens, got ${tokenIds.length}; cut it or use a model with a longer context`,
    );
  }
  if (keptTokenIds !== undefined && keptTokenIds.length !== tokenIds.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `keptTokenIds must have one entry per token, got ${keptTokenIds.length} for ${tokenIds.length} tokens; fill given tokens with null`,
    );
  }
  for (const { start, end } of grammars ?? []) {
    if (!(Number.isInteger(start) && start >= 1 && start <= end && end <= tokenIds.length)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a grammar's span must lie in [1, ${tokenIds.length}], got [${start}, ${end}); pass the indices of the tokens it masked`,
      );
    }
  }
}

/**
 * The ids that could be sampled at each token, `[T]`.
 *
 * @returns undefined where top-k and top-p alone say it.
 * @throws WaggleError `INVALID_ARGUMENT` when a grammar's span has a token that the grammar forbids,
 *   or top-k or top-p without the recorded sets.
 */
export async function keptSetsOf(
  request: ScoreRequest,
  vocabularySize: number,
  compile: (spec: GrammarSpec) => Promise<CompiledGrammar>,
): Promise<readonly (readonly number[] | null)[] | undefined> {
  const { tokenIds, sampling, keptTokenIds, grammars = [] } = request;
  if (grammars.length === 0) return keptTokenIds;
  if (keptTokenIds === undefined && (sampling.topK > 0 || sampling.topP < 1)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "a sequence with grammars and top-k or top-p must come with its recorded keptTokenIds, got none; pass those of the sample",
    );
  }
  const kept: KeptSets = keptTokenIds ? [...keptTokenIds] : tokenIds.map(() => null);
  for (const span of grammars) {
    const grammar = await compile(span.spec);
    fillSpan(kept, tokenIds, span, grammar, vocabularySize);
  }
  return kept;
}

function fillSpan(
  kept: KeptSets,
  tokenIds: readonly number[],
  { start, end, tokenBudget }: GrammarSpan,
  grammar: CompiledGrammar,
  vocabularySize: number,
): void {
  const matcher = grammar.createMatcher();
  try {
    for (let index = start; index < end; index++) {
      const mask = matcher.nextMask(tokenBudget - (index - start));
      const id = tokenIds[index] as number;
      if (mask !== null) {
        if (((mask[id >> 5] ?? 0) & (1 << (id & 31))) === 0) {
          throw new WaggleError(
            "INVALID_ARGUMENT",
            `tokenIds[${index}] must be allowed by its grammar, got ${id}; pass the grammar that masked it`,
          );
        }
        kept[index] ??= idsOf(mask, vocabularySize);
      }
      // The last may be a stop token, which ends a generation and its grammar.
      if (index + 1 < end) matcher.accept(id);
    }
  } finally {
    matcher.dispose();
  }
}

/** The ids whose bits are set, ascending. */
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
