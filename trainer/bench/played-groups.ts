/** Groups as an edge would lease them: training tasks of the shop, as the nano model plays them. */
import { attempt } from "../src/attempt.ts";
import type { BaseModel } from "../src/base-model.ts";
import type { EdgeRecipe } from "../src/edge-recipe.ts";
import { inLanes } from "../src/lanes.ts";
import { groupSignal, type LearnableGroup, learnableTrajectory } from "../src/learnable-group.ts";
import { openPolicy } from "../src/open-model.ts";
import { derivedSeed } from "../src/random.ts";
import { nameOf } from "../src/learner/rollouts/task-names.ts";

const GROUP_SIZE = 8;

/** As many groups as wanted that carry a signal; the same each time. */
export async function playGroups(
  model: BaseModel,
  recipe: EdgeRecipe,
  wanted: number,
): Promise<LearnableGroup[]> {
  const policy = await openPolicy(model);
  const { sampling } = recipe.stage.settings;
  const parts = { policy, format: model.format, sampling };
  const { signal } = new AbortController();
  const groups: LearnableGroup[] = [];
  for (let number = 0; groups.length < wanted; number += 1) {
    const task = { environment: "shop", seed: derivedSeed(1, number), split: "train" } as const;
    const trajectories = await inLanes(GROUP_SIZE, async (i) => {
      const played = await attempt(parts, task, derivedSeed(2, number, i), signal);
      return learnableTrajectory(played.trajectory.id, played.trajectory, played.verification);
    });
    const group = { task: nameOf(task), trajectories };
    if ((await groupSignal(recipe, group)).isLearnable) groups.push(group);
  }
  await policy.dispose();
  return groups;
}
