/**
 * SIL: a teacher begins each round as the student, learns by reward, and the student imitates what it does:
 * what only served the reward is not what is learned most easily.
 *
 * Source: Lu et al. 2020, "Countering Language Drift with Seeded Iterated Learning", arXiv:2003.12694.
 * Differs from it: a moving baseline for the teacher's rewards.
 * Why: single rollouts have no group to be compared with.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
export const sil: CreateRecipe = recipe({
  name: "sil",
  literature: "SIL",
  differs: ["a moving baseline for the teacher's rewards"],
  schedule: ["alternate"],
  settings: { epsilon: 0.2, teacherSteps: 4, steps: 3, rounds: 4, learningRate: 3e-3 },
  stages: ({ epsilon, teacherSteps, steps, learningRate }) => [
    rewardStage({
      name: "teacher",
      rollout: parts.single(),
      reward: parts.outcome(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.pgClip(epsilon)],
      state: {
        "role-adapters": parts.roleAdapters(["teacher"]),
        "slow-copy": parts.seededTeacher(true),
        baseline: parts.baseline(),
      },
      steps: teacherSteps,
      settings: { tasksPerStep: 96, learningRate },
    }),
    tokenStage({
      name: "student",
      rollout: parts.single(),
      losses: [parts.crossEntropy()],
      state: { "slow-copy": parts.seededTeacher(false) },
      steps,
      settings: { tasksPerStep: 96, learningRate },
    }),
  ],
});
