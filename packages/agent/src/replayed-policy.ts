/**
 * A policy that starts with recorded turns, for rollouts that branch or retry from the middle of a
 * trajectory. The environment executes the recorded turns again, so the rollout continues from a real
 * state. After the recorded turns, the policy samples.
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
 * A policy whose contexts replay the first turns of a trajectory. Disposing it disposes `policy`.
 *
 * @param turns - number of turns to replay, from 0 to all.
 * @throws WaggleError `INVALID_ARGUMENT` if the trajectory has fewer turns. A context throws
 *   `REPLAY_DIVERGED` if the environment or the rendering differs from the recording.
 */
export function replayedPolicy(policy: Policy, trajectory: Trajectory, turns: number): Policy {
  if (!Number.isInteger(turns) || turns < 0 || turns > trajectory.turns.length) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `turns is ${turns}; it must be an integer from 0 to ${trajectory.turns.length}, the recorded turns`,
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
  #replayedVersion: PolicyVersionId | null = null;

  constructor(context: PolicyContext, recorded: readonly RecordedTurn[]) {
    super(context);
    this.#recorded = recorded;
  }

  override get policyVersion(): PolicyVersionId {
    return this.#replayedVersion ?? super.policyVersion;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    const turn = this.#recorded[this.#turn];
    this.#turn += 1;
    if (turn === undefined) {
      this.#replayedVersion = null;
      return super.generate(options);
    }
    const { before, segment } = turn;
    const { tokenIds } = this;
    if (tokenIds.length !== before.length || before.some((id, t) => id !== tokenIds[t])) {
      throw new WaggleError(
        "REPLAY_DIVERGED",
        `the context (${tokenIds.length} tokens) differs from the ${before.length} tokens before the recorded turn; replay in an environment of the same task`,
      );
    }
    this.append(segment.tokenIds);
    for (const tokenId of segment.tokenIds) options.onToken?.(tokenId);
    this.#replayedVersion = segment.policyVersion;
    return segment;
  }
}
