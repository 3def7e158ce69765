/**
 * AgentRefine: runs in which a mistake was put right are kept, the mistakes themselves are not
 * imitated.
 *
 * Source: "AgentRefine: Enhancing Agent Generalization through Refinement Tuning" (S064).
 * Differs from it: the teacher errs by itself in place of being asked for mistakes; a mistake is a
 * turn whose call failed or that could not be read.
 * Why: a demonstrator's mistakes are drawn and can be repeated; no model is there to be asked for them.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const agentRefine: CreateRecipe = recipe({
  name: "agent-refine",
  literature: "AgentRefine",
  differs: [
    "the teacher errs by itself in place of being asked for mistakes",
    "a mistake is a turn whose call failed or that could not be read",
  ],
  schedule: ["sft"],
  settings: { mistakes: 0.3, steps: 25, learningRate: 3e-3 },
  stages: ({ mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.teacherDemos(),
      filters: [parts.verify(), parts.stepMask()],
      state: { teacher: parts.demonstrators(mistakes) },
      losses: [parts.maskedCrossEntropy()],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
