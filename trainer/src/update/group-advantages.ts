/** The advantages of a whole group, for exports, and shuffled advantages or labels, as a negative control. */
import {
  type AdvantageRows,
  hasOneAdvantage,
  type Kept,
  meanAdvantage,
  rewardGroups,
  shuffled,
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

/**
 * What a step learns, shuffled over the minibatch: advantages; without advantages, the rewards of trajectories, and which side
 * of a pair is the chosen one.
 */
export function shuffledLabels(
  stage: Stage,
  kept: Kept,
  random: () => number,
): { readonly stage: Stage; readonly kept: Kept } {
  if (stage.learns === "rewards") {
    const shuffledStage = withAdjustedAdvantages(stage, (estimated, groups) =>
      shuffledAdvantages(estimated, groups, random),
    );
    return { stage: shuffledStage, kept };
  }
  const rewards = shuffled(
    kept.groups.flatMap(({ trajectories }) => trajectories.map(({ reward }) => reward)),
    random,
  );
  let next = 0;
  const groups = kept.groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((rewarded) => ({ ...rewarded, reward: rewards[next++]! })),
  }));
  const pairs = kept.pairs.map(([chosen, rejected]) =>
    random() < 0.5 ? ([chosen, rejected] as const) : ([rejected, chosen] as const),
  );
  return { stage, kept: { ...kept, groups, pairs } };
}
