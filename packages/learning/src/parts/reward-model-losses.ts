/** Loss parts of a reward model: comparisons of trajectories, or outcomes to predict. Not a critic's. */
import { dial, made } from "../composition/making.ts";
import type { LossPart, Minibatch, RewardModelLoss } from "../composition/part.ts";
import { rankLoss } from "../losses/rank.ts";
import { valueLoss } from "../losses/value-loss.ts";
import { lossTokenCount } from "../token-rows.ts";
import { lossPart, present } from "./loss-part.ts";

function rewardModelLoss(
  part: string,
  compute: Parameters<typeof lossPart>[1],
): RewardModelLoss<"rm"> {
  const options = { needs: ["rm"], derivatives: ["values"] } as const;
  const made: Omit<LossPart<"rm">, "of"> = lossPart(part, compute, options);
  return { ...made, of: "rm" };
}

/** `rank`: the better of each pair ends with the higher value, by `margin` at least; default 0. */
export function rank(margin?: number): RewardModelLoss<"rm"> {
  return made({ rankMargin: dial(margin, 0) }, ({ rankMargin }) =>
    rewardModelLoss("rank", (minibatch) =>
      rankLoss(
        {
          lossMask: minibatch.lossMask,
          values: present(minibatch.values, "rank", "values of a reward model"),
        },
        minibatch.pairs.map(([better, worse]) => ({ better, worse, margin: rankMargin })),
      ),
    ),
  );
}

/**
 * The score of the trajectory, predicted by least squares: at its `end`, or after each of its `turns`, so
 * that the model says what is to be expected from there. Not a part of the literature's table.
 */
export function outcomeRegression(at: "end" | "turns" = "turns"): RewardModelLoss<"rm"> {
  return rewardModelLoss("outcome-regression", (minibatch) => {
    const values = present(minibatch.values, "outcome-regression", "values of a reward model");
    const lossMask = minibatch.lossMask.map((mask, b) => {
      const ends = endsOf(minibatch, b, at);
      return mask.map((counts, t) => counts && ends.has(t));
    });
    const targets = minibatch.lossMask.map((mask, b) =>
      new Float64Array(mask.length).fill(minibatch.trajectories[b]?.score.reward ?? 0),
    );
    return valueLoss(
      { lossMask, values, targets },
      { form: "squared" },
      { tokenCount: lossTokenCount(lossMask) },
    );
  });
}

/** Last tokens of the turns that row `b` holds, or of the last one. */
function endsOf(
  { trajectories, samples }: Minibatch,
  b: number,
  at: "end" | "turns",
): ReadonlySet<number> {
  const { turns = [] } = trajectories[b]?.trajectory ?? {};
  const ofRow = turns.filter(({ sample }) => sample === samples[b]);
  return new Set((at === "end" ? ofRow.slice(-1) : ofRow).map(({ end }) => end - 1));
}
