/**
 * Groups of shop tasks played by the nano model, in the form in which an edge leases them. Tests only.
 */
import { randomUUID } from "node:crypto";
import { judgedRollout } from "@waggle/agent/environments";
import { SHOP } from "@waggle/demo/environment";
import { type LeasedGroup, type LeasedTrajectory, trajectoryDigest } from "@waggle/protocol";
import type { BaseModel } from "../model/base-model.ts";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import { openPolicy } from "../model/open-model.ts";

/** `count` groups of six rollouts each, with the recipe's sampling options, as pages sample by default. */
export async function playedGroups(
  model: BaseModel,
  { stage }: EdgeRecipe,
  count: number,
  constrainToolCalls = true,
): Promise<LeasedGroup[]> {
  const { signal } = new AbortController();
  const policy = await openPolicy(model, 1);
  const parts = {
    policy,
    format: model.format,
    sampling: stage.settings.sampling,
    constrainToolCalls,
    environments: [SHOP],
  };
  const groups: LeasedGroup[] = [];
  for (let seed = 0; seed < count; seed += 1) {
    const task = { environment: "shop", seed, split: "train" } as const;
    const trajectories: LeasedTrajectory[] = [];
    for (let i = 0; i < 6; i += 1) {
      const { record: trajectory } = await judgedRollout(parts, task, 100 * seed + i, signal);
      trajectories.push({
        digest: await trajectoryDigest(trajectory),
        visitorId: randomUUID(),
        receivedAt: "2026-01-01T00:00:00.000Z",
        trajectory,
        feedback: [],
      });
    }
    groups.push({ groupId: randomUUID(), task, size: 6, trajectories });
  }
  await policy.dispose();
  return groups;
}
