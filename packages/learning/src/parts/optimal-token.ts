/**
 * `otb`: rewards less the baseline of least variance at each token, from what the engine says of the
 * tokens before the step. Samples of one trajectory follow one another, so that a position is the how-manieth
 * token the policy said in it.
 *
 * Source: Li et al. 2025, "Optimal Token Baseline".
 */
import { WaggleError } from "@waggle/protocol";
import { optimalTokenAdvantages } from "../advantages/optimal-token-baseline.ts";
import type { AdvantagePart, AdvantageRows, RewardedTrajectory } from "../composition/part.ts";
import type { LossMask, TokenRows } from "../token-rows.ts";
import { advantagePart } from "./credit.ts";

/** @throws WaggleError `CAPABILITY_MISSING` from its estimate where no engine gives squared probabilities. */
export function optimalTokenBaseline(): AdvantagePart<never, "group"> {
  const part = advantagePart("otb", "group", (groups, { outputs }) => {
    const { logProb, sumSquaredProb } = outputs ?? {};
    if (logProb === undefined || sumSquaredProb === undefined) {
      throw new WaggleError(
        "CAPABILITY_MISSING",
        "advantage otb needs an engine's log-probs and sums of squared probabilities, got none; train with an engine that has the output sumSquaredProb or choose another recipe",
      );
    }
    const advantages = new Map<string, TokenRows>();
    for (const { trajectories } of groups) {
      const ofGroup = optimalTokenAdvantages({
        lossMask: trajectories.map(({ lossMask }) => lossMask.flat()),
        rewards: trajectories.map(({ score }) => score.reward),
        logProbs: trajectories.map((scored) => inOneRow(scored, logProb)),
        sumSquaredProbs: trajectories.map((scored) => inOneRow(scored, sumSquaredProb)),
      });
      for (const [i, { trajectory, lossMask }] of trajectories.entries()) {
        advantages.set(trajectory.id, bySamples(ofGroup[i] as Float64Array, lossMask));
      }
    }
    return { advantages };
  });
  return { ...part, reads: ["sumSquaredProb"] };
}

/** Rows of a trajectory's samples one after the other; 0 for a sample that has no loss token. */
function inOneRow({ trajectory, lossMask }: RewardedTrajectory, rows: AdvantageRows): number[] {
  return lossMask.flatMap((mask, sample) => {
    const row = rows.get(trajectory.id)?.[sample];
    return row === undefined ? mask.map(() => 0) : Array.from(row);
  });
}

function bySamples(row: Float64Array, lossMask: LossMask): TokenRows {
  let end = 0;
  return lossMask.map((mask) => {
    end += mask.length;
    return row.subarray(end - mask.length, end);
  });
}
