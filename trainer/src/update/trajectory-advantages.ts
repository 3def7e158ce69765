/**
 * One advantage per trajectory, for reports, exports to other trainers and the negative control.
 * Recipes themselves give one to each token.
 */
import {
  type AdvantageRows,
  type RewardedTrajectory,
  rewardGroups,
  shuffled,
  type Stage,
} from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { withAdjustedAdvantages } from "./adjusted-advantages.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { type LearnableGroup, partContext } from "../check/learnable-group.ts";

/** Mean over the tokens in the loss; 0 for a trajectory without any. */
export function trajectoryAdvantage(
  { trajectory, lossMask }: RewardedTrajectory,
  advantages: AdvantageRows,
): number {
  let sum = 0;
  let count = 0;
  for (const [i, mask] of lossMask.entries()) {
    for (const [t, counts] of mask.entries()) {
      if (!counts) continue;
      sum += advantages.get(trajectory.id)?.[i]?.[t] ?? 0;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}

/**
 * `[G]` advantages of a whole group, before filtering.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if the recipe credits the turns of a trajectory separately.
 */
export async function groupAdvantages(
  { name, stage }: EdgeRecipe,
  { task, trajectories }: LearnableGroup,
): Promise<number[]> {
  const context = partContext(stage, 0);
  const group = { task, trajectories: trajectories.map(({ trajectory }) => trajectory) };
  const { groups } = await rewardGroups({ ...stage, filters: [] }, [group], context);
  const advantages: AdvantageRows =
    stage.advantage?.estimate(groups, context).advantages ?? new Map();
  return groups
    .flatMap(({ trajectories }) => trajectories)
    .map((rewarded) => {
      const mean = trajectoryAdvantage(rewarded, advantages);
      const isApart = rewarded.lossMask.some((mask, i) =>
        mask.some(
          (counts, t) =>
            counts &&
            Math.abs((advantages.get(rewarded.trajectory.id)?.[i]?.[t] ?? 0) - mean) > 1e-9,
        ),
      );
      if (!isApart) return mean;
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `an exported trajectory has a single advantage, but the recipe ${name} credits its turns separately; choose another recipe, such as grpo`,
      );
    });
}

/** The stage with its trajectories' advantages shuffled over the minibatch. */
export function withShuffledAdvantages(stage: Stage, random: () => number): Stage {
  return withAdjustedAdvantages(stage, (estimated, groups) => {
    const trajectories = groups.flatMap((group) => group.trajectories);
    const dealt = shuffled(
      trajectories.map((rewarded) => trajectoryAdvantage(rewarded, estimated)),
      random,
    );
    return new Map(
      trajectories.map(({ trajectory, lossMask }, i) => {
        const rows = lossMask.map((mask) =>
          Float64Array.from(mask, (counts) => (counts ? (dealt[i] as number) : 0)),
        );
        return [trajectory.id, rows] as const;
      }),
    );
  });
}
