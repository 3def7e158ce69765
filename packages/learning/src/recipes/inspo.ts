/**
 * INSPO: a population of instructions is trained beside the policy: each is credited with what runs under it
 * earn, weak ones are pruned, and new ones come from reflection on the worst rollouts.
 *
 * Source: Zhou et al. 2025, "Agentic Policy Optimization via Instruction-Policy Co-Evolution",
 * arXiv:2512.01945.
 * Differs from it: reflection reads the rollouts of the step and a stored success of each task.
 * Why: a stored success shows what a reflection on failures alone cannot know.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import { reflection } from "../gradient-free/prompt-writing.ts";
import * as parts from "../parts/index.ts";

export const inspo: CreateRecipe = recipe({
  name: "inspo",
  literature: "INSPO",
  differs: ["reflection reads the rollouts of the step, stored successes join the groups"],
  schedule: ["rounds"],
  settings: {
    ...{ groupSize: 8, tasks: 12, temperature: 0.2, keep: 4, leastUses: 24 },
    ...{ epsilon: 0.2, steps: 5, rounds: 5, learningRate: 3e-3 },
  },
  stages: ({ groupSize, tasks, temperature, keep, leastUses, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.storedSuccess()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage({ scale: "std" }),
      losses: [parts.pgClip(epsilon)],
      writes: parts.promptEdits({ request: reflection, keep, leastUses }),
      state: {
        prompts: parts.prompts(["", "Use the tools before you answer."], {
          by: "soft",
          temperature,
        }),
        "good-buffer": parts.goodBuffer(),
      },
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});
