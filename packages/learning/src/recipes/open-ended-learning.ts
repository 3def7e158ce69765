/**
 * Open-ended learning: the policy meets its past selves, and tasks are those that it neither always nor never
 * wins.
 *
 * Source: Open Ended Learning Team 2021, "Open-Ended Learning Leads to Generally Capable Agents",
 * arXiv:2107.12808.
 * Differs from it: generations are compared by the checkpoints that they meet, not by percentile; group
 * statistics by role.
 * Why: a percentile needs many scores a generation; roles of one match earn differently.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
export const openEndedLearning: CreateRecipe = recipe({
  name: "open-ended-learning",
  literature: "Open-ended learning",
  differs: [
    "generations are compared by the checkpoints that they meet, not by percentile",
    "group statistics by role",
  ],
  schedule: ["rounds"],
  settings: { matches: 8, epsilon: 0.2, pool: 4, steps: 6, rounds: 4, learningRate: 3e-3 },
  stages: ({ matches, epsilon, pool, steps, learningRate }) => [
    rewardStage({
      rollout: parts.selfPlayAgainstPast(matches),
      filters: [parts.withoutOpponents(), parts.passRateBand()],
      reward: parts.matchOutcome(),
      advantage: parts.perAgent(),
      losses: [parts.pgClip(epsilon)],
      state: { "task-stats": parts.taskStats(), opponents: parts.opponents(pool) },
      steps,
      settings: { tasksPerStep: 8, learningRate },
    }),
  ],
});
