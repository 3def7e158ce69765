/**
 * What a recipe may carry from step to step, by the names of the literature. Two kinds: values that
 * learning owns (plain, saved with the checkpoint) and resources that the trainer opens for it (a
 * reference policy, a critic, a judge). Not a store.
 */

import type { ReadingRequest, StateReading } from "./reading.ts";

import type { Roles } from "./roles.ts";

/** What the trainer must open; the numbers arrive with each minibatch or reward. */
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

/** What learning keeps as plain values. */
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

export type StateName = ResourceName | ValueName;

/** One filled place of the state slot. */
export type StatePart<N extends StateName = StateName> = {
  readonly slot: "state";
  readonly part: N;
  /** The value before the first step; absent for a resource. Plain: it survives `structuredClone` and JSON. */
  readonly initial?: () => unknown;
  /** Of `role-adapters`, and of what acts beside the policy. */
  readonly roles?: Roles;
  /** What a rollout is given to read of it; `null` for nothing. */
  readonly read?: (value: unknown, request: ReadingRequest) => StateReading | null;
};

/** A resource under its name. */
export function resource<N extends ResourceName>(part: N): StatePart<N> {
  return { slot: "state", part };
}

/** A plain value under its name. */
export function kept<N extends ValueName>(part: N, initial: () => unknown): StatePart<N> {
  return { slot: "state", part, initial };
}
