/**
 * A rollout strategy: which rollouts a step needs, in which order, where they begin and who acts in them. A rollout
 * part returns a strategy, whose code is in the part's file or in an external recipe. It asks a driver for every
 * rollout, and never sees the policy, the environment or the text of tokens.
 */
import type { TaskReference } from "@waggle/protocol";
import type { JudgedGroup, JudgedTrajectory } from "./judged-trajectory.ts";
import type { RolloutDriver } from "./rollout-driver.ts";

/** Requirements of a strategy on the environment, in addition to tasks. */
export type RolloutRequirement =
  /** Documents to search. */
  | "search"
  /** A memory that is kept by operations and asked at the end. */
  | "memory"
  /** Tasks that a policy can propose. */
  | "proposals"
  /** Tasks that a policy can propose, with documents to search while it does. */
  | "searched-proposals"
  /** Tasks that a policy can propose from documents and solve without them. */
  | "documented-proposals";

/** Seeded noise on parameters, instead of a gradient. */
export type ParameterNoise = {
  readonly perturbations: number;
  /** Standard deviation of the noise. */
  readonly scale: number;
  /** Selects the tensors. */
  readonly moves: (tensor: string) => boolean;
};

/** One way to produce the trajectories of a step. */
export type RolloutStrategy = {
  /** Name of the mechanism, such as `group` or `tree`. */
  readonly name: string;
  /** Its options as data, for the records of a recipe. */
  readonly options?: { readonly [option: string]: unknown };
  /** The groups of one step. */
  readonly rollOut: (driver: RolloutDriver) => Promise<readonly JudgedGroup[]>;
  /**
   * True if rollouts can continue during an optimizer step: the policy samples them, and they use nothing
   * stored.
   */
  readonly overlaps?: boolean;
  /** True if it continues stored trajectories: the first step then needs demonstrations. */
  readonly startsFromStored?: boolean;
  /** Number of a task's rollouts that are compared; absent = more than one. */
  readonly groupSize?: number;
  /** True if pages can run it by themselves. */
  readonly runsInPages?: boolean;
  /** The checkpoint that plays against the policy. */
  readonly opponent?: string | null;
  /** Requirements on the environment. */
  readonly requires?: RolloutRequirement;
  /** Rollouts are repeated for each perturbation of the parameters. */
  readonly noise?: ParameterNoise;
  /**
   * Rolls out a held-out task with this mechanism; absent or `null` = the policy acts alone.
   *
   * @param at - index of the task
   */
  readonly rollOutHeldOut?: (
    driver: RolloutDriver,
    task: TaskReference,
    at: number,
  ) => Promise<Pick<JudgedTrajectory, "record" | "verification">> | null;
};
