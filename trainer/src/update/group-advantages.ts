/** The advantages of a whole group, for exports, and the stage with shuffled ones, as a negative control. */
import {
  type AdvantageRows,
  hasOneAdvantage,
  meanAdvantage,
  rewardGroups,
  shuffledAdvantages,
  type Stage,
} from "@waggle/learning";
import { WaggleError } from "@waggle/protocol";
import { withAdjustedAdvantages } from "./adjusted-advantages.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import type { LearnableGroup } from "../check/learnable-group.ts";
import { partContext } from "../recipes/part-context.ts";

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
      if (hasOneAdvantage(rewarded, advantages)) return meanAdvantage(rewarded, advantages);
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `an exported trajectory has a single advantage, but the recipe ${name} credits its turns separately; choose another recipe, such as grpo`,
      );
    });
}

/** The stage with its trajectories' advantages shuffled over the minibatch. */
export function withShuffledAdvantages(stage: Stage, random: () => number): Stage {
  return withAdjustedAdvantages(stage, (estimated, groups) =>
    shuffledAdvantages(estimated, groups, random),
  );
}
