/**
 * Distance of a policy from its base: KL(policy ‖ base) in nats per token, over the policy's own
 * rollouts of held-out tasks. Uses the k3 estimator, which is unbiased and never negative.
 */
import { klEstimate } from "@waggle/learning";
import { FULL_SUPPORT, toTrainingSamples } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { rollOutHeldOut } from "../evaluation/held-out.ts";
import type { DriverParts } from "../rollouts/driver-parts.ts";

type Parts = Omit<DriverParts, "policy"> & { readonly policy: AdaptivePolicy };

/** Removes the policy's adapter. `NaN` if the policy samples no tokens. */
export async function distanceToBase(parts: Parts, tasks: number): Promise<number> {
  const { policy } = parts;
  const attempts = await rollOutHeldOut(parts, [...Array(tasks).keys()]);
  await policy.setAdapter(0, null);
  const samples = attempts.flatMap(({ record: trajectory }) => toTrainingSamples(trajectory));
  let sum = 0;
  let count = 0;
  for (const { sequence, lossMask, behaviorLogProbs } of samples) {
    const { tokenIds } = sequence;
    const ofBase = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    for (const [t, isSampled] of lossMask.entries()) {
      if (!isSampled) continue;
      const gap = (behaviorLogProbs[t] ?? 0) - (ofBase.rawLogProbs[t] ?? Number.NaN);
      sum += klEstimate("k3", gap);
      count += 1;
    }
  }
  return sum / count;
}
