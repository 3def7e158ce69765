/**
 * Distance of a policy from its base: KL(policy ‖ base) in nats per token, over the policy's own
 * rollouts of held-out tasks.
 */
import { sampledKl } from "@waggle/learning";
import { FULL_SUPPORT, toTrainingSamples } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { rollOutHeldOut } from "../evaluation/held-out.ts";
import type { DriverParts } from "../rollouts/driver-parts.ts";

type Parts = Omit<DriverParts, "policy"> & { readonly policy: AdaptivePolicy };

/** Removes the policy's adapter. `NaN` if the policy samples no tokens. */
export async function distanceToBase(parts: Parts, tasks: number): Promise<number> {
  const { policy } = parts;
  const rollouts = await rollOutHeldOut(parts, [...Array(tasks).keys()]);
  await policy.setAdapter(0, null);
  const samples = rollouts.flatMap(({ record: trajectory }) => toTrainingSamples(trajectory));
  const ofBase: (readonly number[])[] = [];
  for (const { sequence } of samples) {
    const { tokenIds } = sequence;
    const scored = await policy.score({ tokenIds, sampling: FULL_SUPPORT });
    ofBase.push(scored.rawLogProbs);
  }
  return sampledKl(
    samples.map(({ lossMask }) => lossMask),
    samples.map(({ behaviorLogProbs }) => behaviorLogProbs),
    ofBase,
  );
}
