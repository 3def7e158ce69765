/** Checked rollouts to train on, in the groups that they were assigned in. */
import { type JudgedTrajectory, toJudgedTrajectory } from "@waggle/learning";
import type { Trajectory, Verification } from "@waggle/protocol";

/** A trajectory to train on. */
export type LearnableTrajectory = {
  /** Of the leased record. Several trials at one request, and both sides of a pair, have the same. */
  readonly digest: string;
  /**
   * Its id is the digest, because clients choose their ids; for a trial at a request, with `/` and the trial's number. For
   * the wanted side of a pair, see `wantedId`.
   */
  readonly trajectory: JudgedTrajectory;
  /** `[samples][T]` log-probs at the claimed version, recomputed by the trainer. */
  readonly rescoredLogProbs: readonly (readonly number[])[];
  /**
   * Of an answer that a person wrote: the policy's own answer that it replaces, under the stable version. The drift is measured
   * on it, and nothing is learned from it.
   */
  readonly given?: Pick<LearnableTrajectory, "trajectory" | "rescoredLogProbs">;
  /** The visitor who sent it; absent if this process sampled it. */
  readonly visitorId?: string;
  /** Hash of the network that it came from; absent if it is unknown. */
  readonly network?: string;
  /** Hash of the site key that its page used; absent if it is unknown. */
  readonly siteKey?: string;
  /** Weight in (0, 1] that the sender's reputation gives it; default 1. */
  readonly reputation?: number;
};

/** Visitors and networks whose rollouts passed the checks, with or without a signal. */
export type PresentSenders = {
  readonly visitor: ReadonlySet<string>;
  readonly network: ReadonlySet<string>;
};

/** The checked trajectories of one task that were assigned together. */
export type LearnableGroup = {
  /** Name of the task. */
  readonly task: string;
  readonly trajectories: readonly LearnableTrajectory[];
};

/**
 * @param rescoredLogProbs - default the recorded ones, which are exact if this process sampled them.
 */
export function learnableTrajectory(
  digest: string,
  record: Trajectory,
  verification: Verification,
  staleness: number = 0,
  rescoredLogProbs?: LearnableTrajectory["rescoredLogProbs"],
): LearnableTrajectory {
  const trajectory = { ...toJudgedTrajectory(record, verification, { staleness }), id: digest };
  const recorded = trajectory.samples.map(({ behaviorLogProbs }) => behaviorLogProbs);
  return { digest, trajectory, rescoredLogProbs: rescoredLogProbs ?? recorded };
}
