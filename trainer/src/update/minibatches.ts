/**
 * Minibatches of an update: consecutive ranges of its groups, each with an optimizer step of its own.
 * Advantages, proximal log-probs and reference log-probs are computed once for the whole update, so
 * ratios differ from 1 from the second step on.
 */
import type { Minibatch, RewardedGroup } from "@waggle/learning";
import type { TokenOutputs } from "@waggle/protocol";

/** Groups `[from, to)` of an update and the rows that belong to them. */
export type MinibatchRange = {
  readonly groups: readonly [from: number, to: number];
  readonly rows: readonly [from: number, to: number];
};

/**
 * At most `count` ranges that cover all groups, as even as whole groups allow. No range is without
 * rows.
 *
 * @param rowsOf - rows of a group, in the order of the groups.
 */
export function minibatchRanges(
  groups: readonly RewardedGroup[],
  rowsOf: (group: RewardedGroup) => number,
  count: number,
): MinibatchRange[] {
  const ranges: MinibatchRange[] = [];
  const many = Math.min(count, groups.length);
  let [group, row] = [0, 0];
  for (let i = 1; i <= many; i += 1) {
    const to = Math.round((i * groups.length) / many);
    const rows = groups.slice(group, to).reduce((sum, each) => sum + rowsOf(each), 0);
    if (rows > 0) ranges.push({ groups: [group, to], rows: [row, row + rows] });
    [group, row] = [to, row + rows];
  }
  return ranges;
}

/** The fields of an update that have one row per sample and do not change between steps. */
export type FixedRows = Pick<
  Minibatch,
  | "proximalLogProbs"
  | "proximalValues"
  | "referenceLogProbs"
  | "teacherLogProbs"
  | "teacherCandidateLogProbs"
>;

/** The rows of one minibatch. */
export function fixedRowsOf(fixed: FixedRows, { rows }: MinibatchRange): FixedRows {
  return {
    proximalLogProbs: fixed.proximalLogProbs.slice(...rows),
    proximalValues: fixed.proximalValues?.slice(...rows),
    referenceLogProbs: fixed.referenceLogProbs?.slice(...rows),
    teacherLogProbs: fixed.teacherLogProbs?.slice(...rows),
    teacherCandidateLogProbs: fixed.teacherCandidateLogProbs?.slice(...rows),
  };
}

/** The engine outputs of one minibatch. */
export function outputRowsOf(outputs: TokenOutputs, { rows }: MinibatchRange): TokenOutputs {
  return {
    logProb: outputs.logProb.slice(...rows),
    rawLogProb: outputs.rawLogProb.slice(...rows),
    entropy: outputs.entropy.slice(...rows),
    sumSquaredProb: outputs.sumSquaredProb.slice(...rows),
    values: outputs.values?.slice(...rows),
    candidateLogProbs: outputs.candidateLogProbs?.slice(...rows),
  };
}
