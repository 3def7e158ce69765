/** Groups as an edge would lease them: training tasks of the demo, as the nano model plays them. */
import { judgedRollout } from "@waggle/agent/environments";
import { SHOP } from "@waggle/demo/environment";
import type { BaseModel } from "../src/model/base-model.ts";
import type { EdgeRecipe } from "../src/recipes/edge-recipe.ts";
import { inLanes } from "../src/rollouts/lanes.ts";
import { learnableTrajectory } from "../src/check/learnable-group.ts";
import { openPolicy } from "../src/model/open-model.ts";
import { derivedSeed } from "@waggle/protocol";
import { taskName } from "@waggle/learning";
import {
  type ComingStep,
  rewardedForStep,
  type WaitingStep,
  waitingStep,
} from "../src/check/waiting-step.ts";

const GROUP_SIZE = 8;

/** A step of as many groups as wanted that carry a signal; the same each time. */
export async function playGroups(
  model: BaseModel,
  recipe: EdgeRecipe,
  wanted: number,
  coming: ComingStep,
): Promise<WaitingStep> {
  const policy = await openPolicy(model);
  const { sampling } = recipe.stage.settings;
  const parts = { policy, format: model.format, sampling, environments: [SHOP] };
  const { signal } = new AbortController();
  let waiting = waitingStep(recipe, [], coming);
  for (let number = 0; waiting.groups.length < wanted; number += 1) {
    const task = { environment: "shop", seed: derivedSeed(1, number), split: "train" } as const;
    const trajectories = await inLanes(GROUP_SIZE, async (i) => {
      const played = await judgedRollout(parts, task, derivedSeed(2, number, i), signal);
      return learnableTrajectory(played.record.id, played.record, played.verification);
    });
    const rewarded = await rewardedForStep(recipe, { task: taskName(task), trajectories }, coming);
    waiting = waitingStep(recipe, [...waiting.groups, rewarded], coming);
  }
  await policy.dispose();
  return waiting;
}
