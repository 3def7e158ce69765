/**
 * State that a recipe carries from step to step, by the names of the literature. There are two kinds: plain
 * values, which are saved with the checkpoint, and resources that the trainer opens (a reference policy, a
 * critic, a judge).
 */

import type { ReadingRequest, StateReading } from "./reading.ts";

import type { Roles } from "./roles.ts";

/** Resources that the trainer opens; their numbers arrive with each minibatch or reward. */
export type ResourceName =
  | "critic"
  | "ref"
  | "teacher"
  | "rm"
  | "iprm"
  | "judge"
  | "world-model"
  | "corpus"
  | "role-adapters"
  | "opponents"
  | "slow-copy"
  | "delta"
  | "fast-weights"
  | "progress-est"
  | "memory-bank";

/** State that is stored as plain values. */
export type ValueName =
  | "task-stats"
  | "good-buffer"
  | "rest-buffer"
  | "baseline"
  | "tree-store"
  | "experience"
  | "prompts"
  | "cases"
  | "temperature"
  | "entropy-strength"
  | "kl-coefficient";

/** Name of something a recipe keeps between steps: a model, or a plain value. */
export type StateName = ResourceName | ValueName;

/** One entry of the state slot. */
export type StatePart<N extends StateName = StateName> = {
  readonly slot: "state";
  readonly part: N;
  /** The value before the first step; absent for a resource. It must survive `structuredClone` and JSON. */
  readonly initial?: () => unknown;
  /** Holds only statistics of rewards. It may outlive the deletion of a visitor's data. */
  readonly onlyStatistics?: true;
  /** Roles of `role-adapters`, and of models that act together with the policy. */
  readonly roles?: Roles;
  /** Guidance for a rollout from this state; `null` for none. */
  readonly read?: (value: unknown, request: ReadingRequest) => StateReading | null;
};

/** A resource with this name. */
export function resource<N extends ResourceName>(part: N): StatePart<N> {
  return { slot: "state", part };
}

/** A plain value with this name. */
export function kept<N extends ValueName>(part: N, initial: () => unknown): StatePart<N> {
  return { slot: "state", part, initial };
}
