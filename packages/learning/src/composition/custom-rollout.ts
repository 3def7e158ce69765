/**
 * A rollout mechanism in a recipe's own file: a new paper needs no change anywhere else. It asks for rollouts
 * and never sees the policy, the environment or the tokens' text.
 */
import type { TaskReference, Trajectory } from "@waggle/protocol";
import type { JudgedTrajectory } from "./judged-trajectory.ts";

/** How one rollout differs from a plain one at its task. */
type CustomRolloutChanges = {
  /** Begins with these turns of a recorded trajectory. */
  readonly from?: { readonly trajectory: Trajectory; readonly turns: number };
  /** Says that its turns before `turn` are another trajectory's own. */
  readonly branch?: { readonly trajectory: string; readonly turn: number };
  /** Most turns; default the environment's. */
  readonly maxTurns?: number;
  /** A sentence more in the system message. */
  readonly told?: string;
  /** Default `policy`. */
  readonly role?: string;
};

type CustomRolloutStep = {
  readonly task: TaskReference;
  /** Trajectories of earlier steps, newest last. */
  readonly stored: readonly JudgedTrajectory[];
  /** In [0, 1), seeded by the step and the task. */
  readonly random: () => number;
  /** @param nth - of this task: equal numbers draw alike. */
  readonly rollOut: (nth: number, changes?: CustomRolloutChanges) => Promise<JudgedTrajectory>;
};

export type CustomRollout = {
  /** The group of one task. */
  readonly rollOutTask: (step: CustomRolloutStep) => Promise<readonly JudgedTrajectory[]>;
};
