/**
 * How far a policy has come from its base: KL(policy ‖ base) in nats a token, over what it says itself at
 * held-out tasks. By k3, whose mean is the divergence and whose terms are never below 0.
 */
import { klEstimate } from "@waggle/learning";
import { FULL_SUPPORT, toTrainingSamples } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { rollOutHeldOut } from "../evaluation/held-out.ts";
import type { CollectParts } from "../strategies/strategy.ts";

type Parts = Omit<CollectParts, "policy"> & { readonly policy: AdaptivePolicy };

/** The policy is without an adapter afterwards. `NaN` where it says nothing. */
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
