/** Checked rollouts to train on, in the groups that they were assigned in. */
import {
  type JudgedTrajectory,
  initialValues,
  type PartContext,
  type Stage,
  type StateValues,
  toJudgedTrajectory,
} from "@waggle/learning";
import type { Trajectory, Verification } from "@waggle/protocol";
import { seededRandom } from "@waggle/protocol";

/** A trajectory to train on. */
export type LearnableTrajectory = {
  readonly digest: string;
  /** Identified by digest instead of id, because clients choose their ids. */
  readonly trajectory: JudgedTrajectory;
  /** `[samples][T]` log-probs at the claimed version, recomputed by the trainer. */
  readonly rescoredLogProbs: readonly (readonly number[])[];
  /** The visitor who sent it; absent if this process sampled it. */
  readonly visitorId?: string;
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

/** The context that the parts of a stage get at a step of the loop. */
export function partContext(
  stage: Stage,
  step: number,
  {
    seed = 0,
    state = {},
  }: { readonly seed?: number; readonly state?: StateValues | undefined } = {},
): PartContext {
  return {
    step,
    steps: stage.steps,
    random: seededRandom(seed, step, 0x5e),
    state: initialValues(stage, state),
    ports: {},
    signal: new AbortController().signal,
  };
}
