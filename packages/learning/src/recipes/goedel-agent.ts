/**
 * Gödel Agent: besides its instruction an agent carries the words by which it is improved, and both are
 * rewritten.
 *
 * Source: Yin et al. 2024, "Gödel Agent: A Self-Referential Agent Framework for Recursive
 * Self-Improvement", arXiv:2410.04444.
 * Differs from it: instruction and improver are texts, no running code is patched.
 * Why: texts can be delivered to pages and replayed, running code that a model wrote can not.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { selfReference } from "../gradient-free/prompt-writing.ts";
import * as parts from "../parts/index.ts";

export const goedelAgent: CreateRecipe = recipe({
  name: "goedel-agent",
  literature: "Gödel Agent",
  differs: ["instruction and improver are texts, no running code is patched"],
  schedule: ["rounds"],
  settings: { keep: 1, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      how: parts.promptEdits({ request: selfReference, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
