/**
 * SICA: the best agent of the archive edits itself, and the edited one joins the archive.
 *
 * Source: Robeyns et al. 2025, "A Self-Improving Coding Agent", arXiv:2504.15228.
 * Differs from it: what is edited is the agent's instruction, not its code; utility is the outcome less
 * what calls cost.
 * Why: an instruction can be delivered to pages and replayed; running code that a model wrote can not.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { selfEdit } from "../gradient-free/prompt-writing.ts";
import * as parts from "../parts/index.ts";

export const sica: CreateRecipe = recipe({
  name: "sica",
  literature: "SICA",
  differs: ["what is edited is the agent's instruction, not its code"],
  schedule: ["rounds"],
  settings: { keep: 1000, leastUses: 16, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, tasks, steps }) => [
    writingStage({
      rollout: parts.single(),
      reward: parts.outcome(),
      how: parts.promptEdits({ request: selfEdit, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
