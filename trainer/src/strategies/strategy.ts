/**
 * A strategy generates the trajectories of a step. One file contains everything about it: how it
 * collects, what it requires of an environment, and how held-out tasks are rolled out. A recipe's
 * rollout part names the plan; `registry.ts` finds the strategy.
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

/** What strategies need to run rollouts. */
export type CollectParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
  /** Models that simulate tools, for plans that need them. */
  readonly worldModels?: WorldModels | undefined;
  /** Roles that act besides the policy. */
  readonly roles?: ActingRoles | undefined;
  /** What rollouts read; default: nothing. */
  readonly reader?: Reader | undefined;
  /**
   * Collects rollouts that fail because a server is unavailable; absent = a failed rollout ends the
   * step.
   */
  readonly lost?: LostRollouts | undefined;
};

/** Per-step options of a strategy. */
export type CollectOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly maxTurns?: number | undefined;
  /** Seed of all draws, combined with the index of the task. */
  readonly seed: number;
  /** For the members of a team; see `StepSettings`. */
  readonly roleShift?: number | undefined;
  /** Number of versions published since the policy's current weights. */
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

/** One held-out task and its index. */
type HeldOutPlace = {
  readonly task: TaskReference;
  readonly place: number;
  readonly parts: CollectParts;
  /** The seed of the rollout. */
  readonly options: CollectOptions;
};

/** How plans of one kind are carried out. */
export type RolloutStrategy<P> = {
  /** The groups of one step. */
  readonly collect: (plan: P, step: RolloutStep) => Promise<JudgedGroup[]>;
  /**
   * True if rollouts can continue during an optimizer step: the policy samples them, and they use
   * nothing stored.
   */
  readonly overlaps?: boolean;
  /** True if it continues stored trajectories: the first step then needs demonstrations. */
  readonly startsFromStored?: boolean;
  /** Number of a task's rollouts that are compared; absent = always more than one. */
  readonly compared?: (plan: P) => number;
  /** True if pages can run this plan by themselves; absent = never. */
  readonly runsInPages?: (plan: P) => boolean;
  /** The checkpoint that plays against the policy. */
  readonly opponent?: (plan: P) => string | null;
  /** @throws WaggleError `INVALID_ARGUMENT` if the environment lacks what the plan needs. */
  readonly requireEnvironment?: (plan: P, spec: EnvironmentSpec) => void | Promise<void>;
  /**
   * Rolls out a held-out task with this mechanism; `null` = the policy acts alone, without a plan.
   */
  readonly rollOutHeldOut?: (plan: P, at: HeldOutPlace) => Promise<EnvironmentRollout> | null;
};

/** The plan of one mechanism. */
export type PlanOf<K extends RolloutPlan["kind"]> = Extract<RolloutPlan, { kind: K }>;
