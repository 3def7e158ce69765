/** Environments of your own: an entry that pages, Workers, trainers and tests can load. */
export { checkEnvironment } from "./check/check-environment.ts";
export type { EnvironmentCheck } from "./check/check-environment.ts";
export { coveringRollouts } from "./check/covering-rollouts.ts";
export { repeatedRollout, rolloutDifference } from "./check/recorded-rollout.ts";
export type { RecordedRollout, RolloutDifference } from "./check/recorded-rollout.ts";
export { watchTimeouts } from "./check/timeout-watch.ts";
export type { TimeoutWatch } from "./check/timeout-watch.ts";
export { defineEnvironment } from "./define-environment.ts";
export type {
  DefinedTask,
  DefinedTurns,
  DrawnTask,
  EnvironmentDefinition,
  TaskDraw,
} from "./definition.ts";
export type { EnvironmentSpec } from "@waggle/environments";
