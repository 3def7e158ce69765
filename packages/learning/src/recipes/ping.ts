/**
 * PING: a prefix is searched that keeps an agent able and makes it refuse what it should; weights stay fixed.
 *
 * Source: Hahm et al. 2025, "Unintended Misalignment from Agentic Fine-Tuning: Risks and Mitigation".
 * Differs from it: the prefix stands at the end of the system message, not at the beginning of the answer;
 * what should be refused is a call that a task does not need.
 * Why: the answer's beginning is sampled and belongs to the record; nothing here harms, so that a needless
 * call is what can be refused.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { writingStage } from "../composition/stage.ts";
import { prefixSearch } from "../gradient-free/prompt-writing.ts";
import * as parts from "../parts/index.ts";

export const ping: CreateRecipe = recipe({
  name: "ping",
  literature: "PING prefix search",
  differs: [
    "the prefix stands in the system message, not at the beginning of the answer",
    "what should be refused is a call that the task does not need",
  ],
  schedule: ["rounds"],
  settings: { keep: 4, leastUses: 16, preferenceWeight: 0.5, tasks: 16, steps: 2, rounds: 6 },
  stages: ({ keep, leastUses, preferenceWeight, tasks, steps }) => [
    writingStage({
      rollout: parts.single(4),
      reward: parts.weighted([
        [parts.outcome(), { standard: 1 }],
        [parts.preference(), preferenceWeight],
      ]),
      how: parts.promptEdits({ request: prefixSearch, keep, leastUses }),
      state: { prompts: parts.prompts([""]) },
      steps,
      settings: { tasksPerStep: tasks },
    }),
  ],
});
