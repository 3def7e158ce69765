/**
 * The requests that rollout strategies can make. The trainer implements them for each step; only this implementation
 * touches the policy, the environment and tokens.
 */
import type { TaskReference, Trajectory } from "@waggle/protocol";
import type { DemonstrationForm } from "../rollouts/demonstration-form.ts";
import type { EnvironmentChange } from "../rollouts/environment-change.ts";
import type { Retelling } from "../rollouts/retelling.ts";
import type { JudgedGroup, JudgedTrajectory } from "./judged-trajectory.ts";

/**
 * Where a rollout stands in its step: the index of its task, then its index within the group. Random draws derive
 * from the step's seed and the place, so equal places get equal draws.
 */
type RolloutPlace = readonly number[];

/** Options of one rollout. */
export type RolloutChanges = {
  /** Begins with these turns of a recorded trajectory. */
  readonly from?: { readonly trajectory: Trajectory; readonly turns: number } | undefined;
  /** Marks the turns before `turn` as those of another trajectory. */
  readonly branch?: JudgedTrajectory["branch"] | undefined;
  /** Maximum number of turns; default: the step's or the environment's. */
  readonly maxTurns?: number | undefined;
  /** A sentence in the system message. */
  readonly told?: string | undefined;
  /** Another sentence after it, recorded as the trajectory's mode. */
  readonly mode?: string | null | undefined;
  /** Default `policy`. */
  readonly role?: string | undefined;
  /** The role whose texts of the state it reads; default: those for every role. */
  readonly readsAs?: string | undefined;
  /** The form of the task; default: the plain task. */
  readonly form?: DemonstrationForm | undefined;
  /** A change of the environment; default: none. */
  readonly environment?: EnvironmentChange | null | undefined;
  /** A person takes over for `turns` turns after `failures` consecutive failed turns. */
  readonly takeover?: { readonly failures: number; readonly turns: number } | undefined;
  /**
   * Up to `most` answers in one context, each wrong one followed by `guidance`; then a demonstrator with this
   * error rate answers. Each turn has the reward of its answer.
   */
  readonly introspection?: Introspection | undefined;
};

/** Several answers in one context, and a teacher after the last wrong one. */
export type Introspection = {
  readonly guidance: string;
  readonly most: number;
  /** The teacher's error rate. */
  readonly mistakes: number;
};

/** How one demonstration is made. */
export type DemonstrationOptions = {
  /** The demonstrator's draws, in [0, 1). */
  readonly random: () => number;
  /** Share of its decisions that are random; default 0. */
  readonly mistakes?: number;
  /** Default: the plain task. */
  readonly form?: DemonstrationForm;
  /** A sentence in the system message, recorded as the trajectory's mode. */
  readonly mode?: string | null;
  /** Default `policy`. */
  readonly role?: string;
  /** Repeats these actions instead of the demonstrator's. */
  readonly repeats?: Trajectory;
  /** Says this before its first call. */
  readonly says?: string;
};

/** One role of a joint rollout in a shared environment. */
export type TeamMember = {
  /** The part that it has in the team. */
  readonly part: string;
  /** The role that plays it. */
  readonly role: string;
  /** A sentence in the system message. */
  readonly mode: string | null;
};

/** Options of a rollout that starts a new context at each turn. */
export type FoldedOptions = {
  /** The demonstrator's error rate; absent = the policy acts. */
  readonly demonstrated?: { readonly mistakes: number; readonly consolidates: boolean };
  /** Notes every call and its result, even if the policy writes no note. */
  readonly records?: boolean | undefined;
  /** In an environment with a memory: the roles that keep it and answer from it. */
  readonly managed?: { readonly manager: string; readonly answerer: string } | undefined;
};

/** The roles that have adapters of their own in a step. */
export type DrivenRoles = {
  readonly hasAdapter: (role: string) => boolean;
  /** The role that rolls out held-out tasks; `null` = the policy. */
  readonly deploys: string | null;
};

/** Runs the rollouts of one step. */
export type RolloutDriver = {
  readonly tasks: readonly TaskReference[];
  /** Trajectories of earlier steps, newest last. */
  readonly stored: readonly JudgedTrajectory[];
  /** Seed of the step. */
  readonly seed: number;
  /** Number of places by which the members of a team are shifted. */
  readonly roleShift: number;
  /** `null` if only the policy acts. */
  readonly roles: DrivenRoles | null;
  /**
   * One group per task, several at a time. A group that lost a rollout is empty, because the lost one may be what
   * its siblings are compared with.
   *
   * @param tasks - default: those of the step
   */
  readonly byTask: (
    run: (task: TaskReference, at: number) => Promise<readonly JudgedTrajectory[]>,
    tasks?: readonly TaskReference[],
  ) => Promise<JudgedGroup[]>;
  /** Results by index, several at a time. */
  readonly inLanes: <T>(count: number, run: (index: number) => Promise<T>) => Promise<T[]>;
  /** Interchangeable rollouts: all that finished, unless fewer than two did. */
  readonly alike: (
    count: number,
    run: (index: number) => Promise<JudgedTrajectory>,
  ) => Promise<JudgedTrajectory[]>;
  /** One rollout of the policy or of a role. */
  readonly rollOut: (
    task: TaskReference,
    place: RolloutPlace,
    changes?: RolloutChanges,
  ) => Promise<JudgedTrajectory>;
  /** One demonstration. */
  readonly demonstrate: (
    task: TaskReference,
    options: DemonstrationOptions,
  ) => Promise<JudgedTrajectory>;
  /** A joint rollout in one environment: a trajectory for each member, all judged by their joint answer. */
  readonly rollOutTogether: (
    task: TaskReference,
    place: RolloutPlace,
    members: readonly TeamMember[],
  ) => Promise<JudgedTrajectory[]>;
  /** A rollout that starts a new context at each turn. Returns one trajectory per turn. */
  readonly rollOutFolded: (
    task: TaskReference,
    place: RolloutPlace,
    options: FoldedOptions,
  ) => Promise<JudgedTrajectory[]>;
  /** Rolls out the task that a trajectory proposed; `null` if it proposed none. */
  readonly solver: (
    proposal: JudgedTrajectory,
    task: TaskReference,
    form: DemonstrationForm,
  ) => ((place: RolloutPlace, changes: RolloutChanges) => Promise<JudgedTrajectory>) | null;
  /** Pieces of rollouts at a task as one trajectory; `null` if a piece is missing. */
  readonly retell: (
    task: TaskReference,
    trajectories: readonly JudgedTrajectory[],
    retelling: Retelling,
  ) => Promise<JudgedTrajectory | null>;
  /** A stored trajectory with the guidance that the stage now gives for the task with this index. */
  readonly readAgain: (trajectory: JudgedTrajectory, at: number) => Promise<JudgedTrajectory>;
  /** Another training task of the same level. */
  readonly neighbor: (task: TaskReference, seed: number) => TaskReference;
  /** What the rollout answered; `null` if it was cut before an answer. */
  readonly finalText: (record: Trajectory) => string | null;
};
