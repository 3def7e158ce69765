/** The tokens of one sequence as a tree: the parent of each token and its position. */
import { WaggleError } from "@waggle/protocol";
import type { TrainSequence } from "@waggle/protocol";

/** `[T]` the parent of each token, −1 for a root. */
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
 * @throws WaggleError `SHAPE_MISMATCH` on arrays whose length differs from the tokens',
 *   `INVALID_ARGUMENT` on a parent that does not precede its token or an invalid position,
 *   `CONTEXT_OVERFLOW` where a path or a position exceeds the model's context.
 */
export function checkTree(sequence: TrainSequence, index: number, contextLength: number): void {
  const { tokenIds, parents, positions } = sequence;
  const isPlain = parents === undefined && positions === undefined;
  for (const [name, array] of Object.entries({ parents, positions })) {
    if (array === undefined || array.length === tokenIds.length) continue;
    throw new WaggleError(
      "SHAPE_MISMATCH",
      `${name} has ${array.length} entries for the ${tokenIds.length} tokens of sequence ${index}`,
    );
  }
  const bad = parents?.findIndex((p, token) => !(Number.isInteger(p) && p >= -1 && p < token));
  if (bad !== undefined && bad !== -1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `token ${bad} of sequence ${index} has parent ${parents?.[bad]}, which is neither -1 nor an earlier token; order the tree so that every token follows its parent`,
    );
  }
  const odd = positions?.findIndex((p) => !(Number.isInteger(p) && p >= 0));
  if (odd !== undefined && odd !== -1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `token ${odd} of sequence ${index} has position ${positions?.[odd]}, which is not a non-negative integer; leave positions out to use the number of ancestors`,
    );
  }
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -1);
  const longest = isPlain
    ? tokenIds.length
    : Math.max(most(depthsOf(parentsOf(sequence))), most(positions ?? [])) + 1;
  if (longest > contextLength) {
    throw new WaggleError(
      "CONTEXT_OVERFLOW",
      `sequence ${index} has a path of ${longest} tokens; the model's context is ${contextLength}; shorten the sequence`,
    );
  }
}
