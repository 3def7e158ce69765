/**
 * Which models a recipe trains beside the policy, and that none is asked before it was trained. Not an
 * engine.
 */
import { WaggleError } from "@waggle/protocol";
import type { Stage, TrainedModel } from "./stage.ts";

/** Models that a state slot names and a stage has to train. */
const LEARNED: readonly Exclude<TrainedModel, "policy" | "roles">[] = ["rm", "iprm"];

/** @throws WaggleError `INVALID_ARGUMENT` where a stage asks a model that no stage before it trains. */
export function requireTrainedModels(recipe: string, stages: readonly Stage[]): void {
  for (const [at, stage] of stages.entries()) {
    // One that learning keeps as a plain value is no model to train.
    const asked = LEARNED.find(
      (model) => stage.state[model] !== undefined && stage.state[model].initial === undefined,
    );
    if (asked === undefined) continue;
    if (stages.slice(0, at + 1).some(({ trains }) => trains === asked)) continue;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${asked} of recipe ${recipe} must be trained before stage ${stage.name} asks it, got no such stage; put one that trains it first`,
    );
  }
}
