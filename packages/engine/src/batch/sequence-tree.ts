/** The tokens of one sequence as a tree: who comes right before whom, at which position. */
import { WaggleError } from "@waggle/protocol";
import type { TrainSequence } from "@waggle/protocol";

/** `[T]` the token right before each, −1 for a first one. */
export function parentsOf({ tokenIds, parents }: TrainSequence): readonly number[] {
  return parents ?? tokenIds.map((_, token) => token - 1);
}

/** `[T]` the number of ancestors of each token. */
export function depthsOf(parents: readonly number[]): number[] {
  const depths: number[] = [];
  for (const parent of parents) depths.push(parent < 0 ? 0 : (depths[parent] as number) + 1);
  return depths;
}

/**
 * @throws WaggleError `SHAPE_MISMATCH` on arrays of another length than the tokens,
 *   `INVALID_ARGUMENT` on a parent that does not come before its token or a position that is none,
 *   `CONTEXT_OVERFLOW` where a path or a position exceeds the model's context.
 */
export function checkTree(sequence: TrainSequence, index: number, contextLength: number): void {
  const { tokenIds, parents, positions } = sequence;
  const isPlain = parents === undefined && positions === undefined;
  for (const [name, array] of Object.entries({ parents, positions })) {
    if (array === undefined || array.length === tokenIds.length) continue;
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `${name} must have one entry per token, got ${array.length} for ${tokenIds.length} tokens of sequence ${index}; align them`,
    );
  }
  const bad = parents?.findIndex((p, token) => !(Number.isInteger(p) && p >= -1 && p < token));
  if (bad !== undefined && bad !== -1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a parent must be -1 or a token before its own, got ${parents?.[bad]} at token ${bad} of sequence ${index}; order the tree so that every token follows its parent`,
    );
  }
  const odd = positions?.findIndex((p) => !(Number.isInteger(p) && p >= 0));
  if (odd !== undefined && odd !== -1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a position must be a whole number from 0, got ${positions?.[odd]} at token ${odd} of sequence ${index}; leave positions out to count ancestors`,
    );
  }
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -1);
  const longest = isPlain
    ? tokenIds.length
    : Math.max(most(depthsOf(parentsOf(sequence))), most(positions ?? [])) + 1;
  if (longest > contextLength) {
    throw new WaggleError(
      "CONTEXT_OVERFLOW",
      `a sequence, or a path of a tree, must have at most ${contextLength} tokens, got ${longest} in sequence ${index}; shorten it`,
    );
  }
}
