/**
 * The proximal policy, interpolated between the behavior policy and the current one by policy versions. Saves
 * the forward pass that would compute it.
 *
 * Source: Fu et al. 2025, "AReaL", arXiv:2505.24298 (its approximated proximal policy).
 */
import { WaggleError } from "@waggle/protocol";
import type { LossPart, Minibatch, PartContext, RewardedTrajectory } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { lossPart } from "../losses/loss-part.ts";
import { tokenVersions, versionSpans } from "../rollouts/partial-rollout.ts";
import { type LossMask, requireRows, type TokenRows, zeroRows } from "../token-rows.ts";

/**
 * `[B][T]` log behavior + α·(log policy − log behavior), α = (proximal − behavior version) / (policy −
 * behavior version), bounded to [0, 1]; the policy's own log-prob if its version sampled the token.
 *
 * @param versions - `[B][T]` of the behavior policy, and those of the two others; integers.
 */
export function logLinearProximal(
  batch: {
    readonly lossMask: LossMask;
    readonly policyLogProbs: TokenRows;
    readonly behaviorLogProbs: TokenRows;
    readonly behaviorVersions: TokenRows;
  },
  versions: { readonly proximal: number; readonly policy: number },
): Float64Array[] {
  const { lossMask, policyLogProbs, behaviorLogProbs, behaviorVersions } = batch;
  requireRows(lossMask, { policyLogProbs, behaviorLogProbs, behaviorVersions });
  if (versions.proximal > versions.policy) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the proximal version ${versions.proximal} is newer than the policy version ${versions.policy}; pass the version at the start of the step`,
    );
  }
  const proximal = zeroRows(lossMask);
  for (const [b, row] of lossMask.entries()) {
    for (const t of row.keys()) {
      const policy = policyLogProbs[b]?.[t] as number;
      const behavior = behaviorLogProbs[b]?.[t] as number;
      const sampled = behaviorVersions[b]?.[t] as number;
      const distance = versions.policy - sampled;
      const alpha = distance <= 0 ? 1 : (versions.proximal - sampled) / distance;
      (proximal[b] as Float64Array)[t] =
        behavior + Math.min(1, Math.max(0, alpha)) * (policy - behavior);
    }
  }
  return proximal;
}

/** `inner` with interpolated instead of computed proximal log-probs. */
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
  const behaviorVersions = minibatch.trajectories.map((rewarded, b) =>
    stepsBefore(rewarded, minibatch.samples[b] ?? 0, epoch.of),
  );
  return logLinearProximal(
    { ...minibatch, behaviorVersions },
    { proximal: 0, policy: epoch.taken },
  );
}

/**
 * `[T]` when each token was sampled, in optimizer steps: 0 at the start of this update, negative before. Each
 * update makes one version, and the oldest token of a trajectory has the trajectory's staleness.
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
