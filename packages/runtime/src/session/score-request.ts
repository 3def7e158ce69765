/** Checks a score request, and computes the kept sets of its grammars. */
import { replayGrammar, WaggleError } from "@waggle/protocol";
import type { CompiledGrammar, GrammarSpec, ScoreRequest } from "@waggle/protocol";
import { assertTokenIds } from "../token-ids.ts";

type KeptSets = (readonly number[] | null)[];

/** @throws WaggleError naming the invalid member. */
export function assertScoreRequest(
  { tokenIds, keptTokenIds, drawnAmong, grammars }: ScoreRequest,
  limits: { readonly contextLength: number; readonly vocabularySize: number },
): void {
  assertTokenIds(tokenIds, limits.vocabularySize);
  if (tokenIds.length > limits.contextLength) {
    throw new WaggleError(
      "CONTEXT_OVERFLOW",
      `a sequence of ${tokenIds.length} tokens is too long to score; the context has ${limits.contextLength}`,
    );
  }
  if (keptTokenIds !== undefined && keptTokenIds.length !== tokenIds.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `keptTokenIds has ${keptTokenIds.length} entries for ${tokenIds.length} tokens; pass null for given tokens`,
    );
  }
  if (drawnAmong !== undefined && drawnAmong.length !== tokenIds.length) {
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `drawnAmong has ${drawnAmong.length} entries for ${tokenIds.length} tokens; pass null where all ids could be drawn`,
    );
  }
  for (const { start, end } of grammars ?? []) {
    if (!(Number.isInteger(start) && start >= 1 && start <= end && end <= tokenIds.length)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `the grammar's span [${start}, ${end}) is outside [1, ${tokenIds.length}]; pass the indices of the tokens that it masked`,
      );
    }
  }
}

/**
 * The ids that could be sampled at each token, `[T]`.
 *
 * @returns undefined if top-k and top-p alone determine them.
 * @throws WaggleError `INVALID_ARGUMENT` if a grammar's span has a token that the grammar forbids, or
 *   top-k or top-p is used without the recorded sets.
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
      "a sequence with grammars and top-k or top-p needs keptTokenIds; pass those of the sample",
    );
  }
  const kept: KeptSets = keptTokenIds ? [...keptTokenIds] : tokenIds.map(() => null);
  for (const { spec, start, end, tokenBudget } of grammars) {
    const span = tokenIds.slice(start, end);
    const allowed = replayGrammar(await compile(spec), span, { tokenBudget, vocabularySize });
    for (const [index, ids] of allowed.entries()) kept[start + index] ??= ids;
  }
  return kept;
}
