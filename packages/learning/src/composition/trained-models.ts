/**
 * Checks the models that a recipe trains in addition to the policy: a stage must train a model before another stage
 * uses it.
 */
import { WaggleError } from "@waggle/protocol";
import type { Stage, TrainedModel } from "./stage.ts";

/** Models in the state slot that a stage must train. */
const LEARNED: readonly Exclude<TrainedModel, "policy" | "roles">[] = ["rm", "iprm"];

/** @throws WaggleError `INVALID_ARGUMENT` if a stage uses a model that no earlier stage trains. */
export function requireTrainedModels(recipe: string, stages: readonly Stage[]): void {
  for (const [at, stage] of stages.entries()) {
    // A plain value is not a model to train.
    const asked = LEARNED.find(
      (model) => stage.state[model] !== undefined && stage.state[model].initial === undefined,
    );
    if (asked === undefined) continue;
    if (stages.slice(0, at + 1).some(({ trains }) => trains === asked)) continue;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `recipe ${recipe}: stage ${stage.name} uses ${asked}, which no earlier stage trains; add a stage before it that trains ${asked}`,
    );
  }
}
