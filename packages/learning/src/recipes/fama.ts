/**
 * FAMA: how rollouts failed is counted, and the counts decide which helpers are switched on.
 *
 * Source: "FAMA: Failure-Aware Meta-Agentic Framework for Open-Source LLMs in Interactive Tool Use
 * Environments".
 * Differs from it: a helper is a sentence of the instruction, not an agent of its own; failures are told
 * apart by what the record shows, not by a model.
 * Why: a sentence changes what one policy does without a second context.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const fama: CreateRecipe = recipe({
  name: "fama",
  literature: "FAMA",
  differs: [
    "a helper is a sentence of the instruction, not an agent",
    "failures are told apart by what the record shows, not by a model",
  ],
  schedule: ["one"],
  settings: { share: 0.2, tasks: 32, steps: 4 },
  stages: ({ share, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      filters: [parts.ownFailures()],
      reward: parts.outcome(),
      how: parts.auxiliaries(share),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
