/** What the rollouts of a step need: the policy, the environment, and options of the step. */
import type { ActingPolicy, ActingRoles } from "@waggle/agent/environments";
import type { EnvironmentSpec } from "@waggle/environments";
import type { Sampling } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";
import type { WorldModels } from "./changed-environment.ts";
import type { LostRollouts } from "./lost-rollouts.ts";
import type { Reader } from "./rollout-reading.ts";

/** What rollouts are run with. */
export type DriverParts = {
  readonly policy: ActingPolicy;
  readonly format: ChatFormat;
  readonly spec: EnvironmentSpec;
  readonly signal: AbortSignal;
  /** Models that simulate tools, for strategies that need them. */
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

/** Options of one step's rollouts. */
export type DriverOptions = {
  readonly sampling: Omit<Sampling, "seed">;
  readonly maxTurns?: number | undefined;
  /** Seed of all draws, combined with the place of each rollout. */
  readonly seed: number;
  /** For the members of a team; see `StepSettings`. */
  readonly roleShift?: number | undefined;
  /** Number of versions published since the policy's current weights. */
  readonly staleness: number;
};
