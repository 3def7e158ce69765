/**
 * One mechanism by which the trajectories of a step come about. Everything that is known about a mechanism is
 * in its file: how it collects, what it asks of an environment, how held-out tasks are rolled out with it.
 * A recipe's rollout part names the plan; `registry.ts` finds the strategy.
 */
import type { EnvironmentSpec } from "@waggle/environments";
import type { JudgedTrajectory, JudgedGroup, RolloutPlan } from "@waggle/learning";
import type { Sampling, TaskReference } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { ActingPolicy, EnvironmentRollout } from "../rollouts/environment-rollout.ts";
import type { LostRollouts } from "../rollouts/lost-rollouts.ts";
import type { Reader } from "../rollouts/rollout-reading.ts";
import type { WorldModels } from "../rollouts/changed-environment.ts";
import type { ActingRoles } from "../rollouts/role-policy.ts";

export type CollectParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
  /** Models that answer in place of tools, for plans that simulate. */
  readonly worldModels?: WorldModels | undefined;
  /** Where roles besides the policy act. */
  readonly roles?: ActingRoles | undefined;
  /** What rollouts are given to read; default nothing. */
  readonly reader?: Reader | undefined;
  /** Told of rollouts that fail for want of a server; absent = one that fails ends the step. */
  readonly lost?: LostRollouts | undefined;
};

export type CollectOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly maxTurns?: number | undefined;
  /** Everything drawn depends on it and on the task's place. */
  readonly seed: number;
  /** Of a team's members, see `StepSettings`. */
  readonly roleShift?: number | undefined;
  /** Published versions since the weights that the policy now has. */
  readonly staleness: number;
};

/** One step's rollouts. */
export type RolloutStep = {
  readonly tasks: readonly TaskReference[];
  /** Earlier trajectories, newest last. */
  readonly stored: readonly JudgedTrajectory[];
  readonly parts: CollectParts;
  readonly options: CollectOptions;
};

/** One held-out task and its place among them. */
type HeldOutPlace = {
  readonly task: TaskReference;
  readonly place: number;
  readonly parts: CollectParts;
  /** Its seed is that of the rollout. */
  readonly options: CollectOptions;
};

export type RolloutStrategy<P> = {
  /** The groups of one step. */
  readonly collect: (plan: P, step: RolloutStep) => Promise<JudgedGroup[]>;
  /** True if rollouts may go on while a step is taken: the policy samples them, from nothing stored. */
  readonly overlaps?: boolean;
  /** True if it goes on from stored trajectories: the first step then needs demonstrations to start from. */
  readonly startsFromStored?: boolean;
  /** Rollouts at a task that are compared with each other; absent = always more than one. */
  readonly compared?: (plan: P) => number;
  /** True if pages carry this plan out by themselves; absent = never. */
  readonly runsInPages?: (plan: P) => boolean;
  /** Checkpoint that plays against the policy. */
  readonly opponent?: (plan: P) => string | null;
  /** @throws WaggleError `INVALID_ARGUMENT` if the environment lacks what the plan needs. */
  readonly requireEnvironment?: (plan: P, spec: EnvironmentSpec) => void | Promise<void>;
  /** Rolls a held-out task out as the mechanism does; `null` = the policy alone does, as without a plan. */
  readonly rollOutHeldOut?: (plan: P, at: HeldOutPlace) => Promise<EnvironmentRollout> | null;
};

/** The plan of one mechanism. */
export type PlanOf<K extends RolloutPlan["kind"]> = Extract<RolloutPlan, { kind: K }>;
