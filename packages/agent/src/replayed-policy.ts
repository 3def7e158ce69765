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

/** A recorded turn, and the tokens of the context in which it was sampled. */
export type RecordedTurn = { readonly before: readonly number[]; readonly segment: SampledSegment };

/** Called before a turn is replayed. Throws if the turn must not be replayed in this context. */
export type AdmitTurn = (
  turn: RecordedTurn,
  context: PolicyContext,
  options: GenerateOptions,
) => void | Promise<void>;

/**
 * The first turns of a trajectory.
 *
 * @param turns - number of turns, from 0 to all.
 * @throws WaggleError `INVALID_ARGUMENT` if the trajectory has fewer turns.
 */
export function recordedTurns(trajectory: Trajectory, turns: number): readonly RecordedTurn[] {
  if (!Number.isInteger(turns) || turns < 0 || turns > trajectory.turns.length) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `turns is ${turns}; it must be an integer from 0 to ${trajectory.turns.length}, the recorded turns`,
    );
  }
  return trajectory.turns.slice(0, turns).map(({ segmentId }) => {
    const index = trajectory.segments.findIndex(({ id }) => id === segmentId);
    const before = trajectory.segments.slice(0, index).flatMap(({ tokenIds }) => tokenIds);
    return { before, segment: trajectory.segments[index] as SampledSegment };
  });
}

/**
 * A policy whose contexts replay recorded turns and then continue with `policy`. Disposing it disposes
 * `policy`.
 *
 * @param admit - by default, throws `REPLAY_DIVERGED` if the environment or the rendering differs from the
 *   recording.
 */
export function replayedPolicy(
  policy: Policy,
  recorded: readonly RecordedTurn[],
  admit: AdmitTurn = requireSameContext,
): Policy {
  return forwardingPolicy(policy, {
    createContext: async () => new ReplayedContext(await policy.createContext(), recorded, admit),
  });
}

function requireSameContext({ before }: RecordedTurn, { tokenIds }: PolicyContext): void {
  if (tokenIds.length !== before.length || before.some((id, t) => id !== tokenIds[t])) {
    throw new WaggleError(
      "REPLAY_DIVERGED",
      `the context (${tokenIds.length} tokens) differs from the ${before.length} tokens before the recorded turn; replay in an environment of the same task`,
    );
  }
}

class ReplayedContext extends ForwardingContext {
  readonly #recorded: readonly RecordedTurn[];
  readonly #admit: AdmitTurn;
  #turn = 0;
  #replayedVersion: PolicyVersionId | null = null;

  constructor(context: PolicyContext, recorded: readonly RecordedTurn[], admit: AdmitTurn) {
    super(context);
    this.#recorded = recorded;
    this.#admit = admit;
  }

  override get policyVersion(): PolicyVersionId {
    return this.#replayedVersion ?? super.policyVersion;
  }

  override async generate(options: GenerateOptions): Promise<Sample> {
    const turn = this.#recorded[this.#turn];
    if (turn === undefined) {
      this.#replayedVersion = null;
      return super.generate(options);
    }
    const admitted = this.#admit(turn, this, options);
    // An `await` where nothing is pending would change the order of rollouts that run side by side.
    if (admitted instanceof Promise) await admitted;
    this.#turn += 1;
    const { segment } = turn;
    this.append(segment.tokenIds);
    for (const tokenId of segment.tokenIds) options.onToken?.(tokenId);
    this.#replayedVersion = segment.policyVersion;
    return segment;
  }
}
