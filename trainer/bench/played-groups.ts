/** Groups as an edge would lease them: training tasks of the shop, as the nano model plays them. */
import type { Recipe } from "@waggle/learning";
import { toTrainingSamples } from "@waggle/protocol";
import { attempt } from "../src/attempt.ts";
import type { BaseModel } from "../src/base-model.ts";
import { inLanes } from "../src/lanes.ts";
import type { LearnableGroup } from "../src/learning-step.ts";
import { openPolicy } from "../src/open-model.ts";
import { derivedSeed } from "../src/random.ts";
import { createTaskWorld } from "../src/task-worlds.ts";

const GROUP_SIZE = 8;

/** As many groups as wanted that carry a signal; the same each time. */
export async function playGroups(
  model: BaseModel,
  recipe: Recipe,
  wanted: number,
): Promise<LearnableGroup[]> {
  const policy = await openPolicy(model);
  const { sampling } = recipe.rollout;
  const parts = { policy, format: model.format, createTaskWorld, sampling };
  const { signal } = new AbortController();
  const groups: LearnableGroup[] = [];
  for (let number = 0; groups.length < wanted; number += 1) {
    const task = { environment: "shop", seed: derivedSeed(1, number), split: "train" } as const;
    const trajectories = await inLanes(GROUP_SIZE, async (i) => {
      const played = await attempt(parts, task, derivedSeed(2, number, i), signal);
      const samples = toTrainingSamples(played.trajectory);
      return {
        digest: played.trajectory.id,
        samples,
        rescoredLogProbs: samples.map(({ behaviorLogProbs }) => behaviorLogProbs),
        verification: played.verification,
        staleness: 0,
      };
    });
    const rewards = trajectories.map(({ verification }) => recipe.reward(verification));
    if (recipe.filter(rewards) === null) groups.push({ trajectories });
  }
  await policy.dispose();
  return groups;
}
