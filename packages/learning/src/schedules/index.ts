/** Schedules: what changes as training goes on. */
export { evenHorizons, maxTurnsAt } from "./horizon-curriculum.ts";
export type { Horizon } from "./horizon-curriculum.ts";
export { constantRate, cosineRate, warmedUpRate } from "./learning-rate.ts";
export type { LearningRate } from "./learning-rate.ts";
export { annealedAt } from "./progress-curve.ts";
export type { Annealing, Curve } from "./progress-curve.ts";
export { flywheelRound } from "./task-flywheel.ts";
export type { FlywheelOrder, FlywheelRule, FlywheelTask } from "./task-flywheel.ts";
export { nextTemperature } from "./temperature-target.ts";
export type { TemperatureControl } from "./temperature-target.ts";
