/**
 * RewardHarness: the judge that pays a policy is context that evolves, from few known preferences.
 *
 * Source: "RewardHarness: Self-Evolving Agentic Post-Training".
 * Differs from it: the known preferences are the verifier's, of a few groups a step.
 * Why: verifiers know every preference exactly, and a few groups are what a person would label.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const rewardHarness: CreateRecipe = recipe({
  name: "reward-harness",
  literature: "RewardHarness",
  differs: ["the known preferences are the verifier's, of a few groups a step"],
  schedule: ["rounds"],
  settings: {
    ...{ groupSize: 8, tasks: 8, known: 2, epsilon: 0.2 },
    ...{ steps: 5, rounds: 5, learningRate: 3e-3 },
  },
  stages: ({ groupSize, tasks, known, epsilon, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      reward: parts.judgeByLessons(),
      advantage: parts.groupAdvantage({ scale: "std" }),
      losses: [parts.pgClip(epsilon)],
      writes: parts.rubricEdits(known),
      state: { judge: parts.judgement, experience: parts.experience("none") },
      steps,
      settings: { tasksPerStep: tasks, learningRate },
    }),
  ],
});
