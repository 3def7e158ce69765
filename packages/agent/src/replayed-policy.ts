/**
 * A policy that begins with turns it sampled before: what a branch, a pivot or a retry from the middle
 * starts with. The environment really runs the recorded turns again, so the rollout goes on from a
 * true state. Not a script: after the recorded turns the policy speaks for itself.
 */
import { WaggleError } from "@waggle/protocol";
import type {
  GenerateOptions,
  Policy,
  PolicyContext,
  PolicyVersionId,
  Sample,
  SampledSegment,
  Trajectory,
} from "@waggle/protocol";
import { ForwardingContext, forwardingPolicy } from "./forwarding-policy.ts";

/**
 * @param turns - how many turns of the trajectory its contexts begin with, 0 to all of them.
 * @returns a policy over the same weights; disposing it disposes those.
 * @throws WaggleError `INVALID_ARGUMENT` when the trajectory has fewer turns. A context throws
 *   `REPLAY_DIVERGED` where the environment or the rendering says something else than it did.
 */
export function replayedPolicy(policy: Policy, trajectory: Trajectory, turns: number): Policy {
  if (!Number.isInteger(turns) || turns < 0 || turns > trajectory.turns.length) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `turns must be an integer in 0 to ${trajectory.turns.length}, got ${turns}; replay turns that were recorded`,
    );
  }
  const recorded = trajectory.turns.slice(0, turns).map(({ segmentId }) => {
    const index = trajectory.segments.findIndex(({ id }) => id === segmentId);
    const before = trajectory.segments.slice(0, index).flatMap(({ tokenIds }) => tokenIds);
    return { before, segment: trajectory.segments[index] as SampledSegment };
  });
  return forwardingPolicy(policy, {
    createContext: async () => new ReplayedContext(await policy.createContext(), recorded),
  });
}

type RecordedTurn = { readonly before: readonly number[]; readonly segment: SampledSegment };

class ReplayedContext extends ForwardingContext {
  readonly #recorded: readonly RecordedTurn[];
  #turn = 0;
  #spokenBy: PolicyVersionId | null = null;

  constructor(context: PolicyContext, recorded: readonly RecordedTurn[]) {
    super(context);
    this.#recorded = recorded;
  }

  override get policyVersion(): PolicyVersionId {
    return this.#spokenBy ?? super.policyVersion;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    const turn = this.#recorded[this.#turn];
    this.#turn += 1;
    if (turn === undefined) {
      this.#spokenBy = null;
      return super.generate(options);
    }
    const { before, segment } = turn;
    const { tokenIds } = this;
    if (tokenIds.length !== before.length || before.some((id, t) => id !== tokenIds[t])) {
      throw new WaggleError(
        "REPLAY_DIVERGED",
        `a replayed turn must follow the ${before.length} tokens it was sampled after, got ${tokenIds.length} that differ; replay in the environment of the same task`,
      );
    }
    this.append(segment.tokenIds);
    for (const tokenId of segment.tokenIds) options.onToken?.(tokenId);
    this.#spokenBy = segment.policyVersion;
    return segment;
  }
}
