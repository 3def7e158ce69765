/**
 * ADAS: a writer sees the whole archive of designs with what each earned and proposes one that is new.
 *
 * Source: Hu et al. 2024, "Automated Design of Agentic Systems", arXiv:2408.08435.
 * Differs from it: a design is the agent's instruction, where the paper's are programs in Python; every
 * design stays in the population.
 * Why: an instruction can be delivered to pages and replayed; running code that a model wrote can not.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { archiveSearch } from "../gradient-free/prompt-writing.ts";
import * as parts from "../parts/index.ts";

export const adas: CreateRecipe = recipe({
  name: "adas",
  literature: "ADAS",
  differs: ["a design is the agent's instruction, not a program"],
  schedule: ["rounds"],
  settings: { keep: 1000, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      how: parts.promptEdits({ request: archiveSearch, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
