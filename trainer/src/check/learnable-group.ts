/** Rollouts that may be learned from, in the groups that they were assigned in. They were judged before. */
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

/** A trajectory that may be learned from. */
export type LearnableTrajectory = {
  readonly digest: string;
  /** Under the digest in place of the id: a client chooses its ids. */
  readonly trajectory: JudgedTrajectory;
  /** `[samples][T]` log-probs at the claimed version, by the trainer. */
  readonly rescoredLogProbs: readonly (readonly number[])[];
  /** Whose it is; absent = nobody's, this process sampled it. */
  readonly visitorId?: string;
};

export type LearnableGroup = {
  /** Name of the task. */
  readonly task: string;
  readonly trajectories: readonly LearnableTrajectory[];
};

/** @param rescoredLogProbs default the recorded ones: right where this process sampled them. */
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

/** What the parts of a stage are told at a step of the loop. */
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
