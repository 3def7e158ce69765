/**
 * `log-linear`: another loss, with the policy at the step's start guessed from what sampled a token and
 * from the policy of now, by how many optimizer steps lie between.
 *
 * Source: the approximated proximal policy of Fu et al. 2025, "AReaL", arXiv:2505.24298, `loglinear` in its
 * code. Differs from it: age is counted in optimizer steps and not in versions, so that the guess is
 * exact in the first of them and for tokens of the newest policy; and nothing is saved by it here, where
 * the forward pass that it would save is the first step's own.
 */
import type { LossPart, Minibatch, PartContext, RewardedTrajectory } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { logLinearProximal } from "../corrections/log-linear-proximal.ts";
import { tokenVersions, versionSpans } from "../rollouts/partial-rollout.ts";
import { lossPart } from "./loss-part.ts";

/** `inner` reads the guess where it would read the policy at the step's start. */
export function logLinear<N extends StateName>(inner: LossPart<N>): LossPart<N> {
  return lossPart(
    "log-linear",
    (minibatch, context) =>
      inner.compute({ ...minibatch, proximalLogProbs: guessed(minibatch, context) }, context),
    { ...inner, around: [inner] },
  );
}

function guessed(
  minibatch: Minibatch,
  { epoch = { taken: 0, of: 1 } }: PartContext,
): Float64Array[] {
  const behaviorVersions = minibatch.trajectories.map((scored, b) =>
    stepsBefore(scored, minibatch.samples[b] ?? 0, epoch.of),
  );
  return logLinearProximal(
    { ...minibatch, behaviorVersions },
    { proximal: 0, policy: epoch.taken },
  );
}

/**
 * `[T]` when each token was sampled, in optimizer steps: 0 at this update's start, less before. An update
 * makes one version, and the oldest token of a trajectory is as old as the trajectory.
 */
function stepsBefore(
  { trajectory, lossMask }: RewardedTrajectory,
  sample: number,
  stepsOfVersion: number,
): ArrayLike<number> {
  const oldest = Math.min(...tokenVersions(trajectory.record));
  const versions = new Float64Array(lossMask[sample]?.length ?? 0);
  for (const { segment, start } of trajectory.samples[sample]?.spans ?? []) {
    for (const span of versionSpans(segment)) {
      const age = Math.max(0, trajectory.staleness - (span.version - oldest));
      versions.fill(-age * stepsOfVersion, start + span.start, start + span.end);
    }
  }
  return versions;
}
