/**
 * Kimi-Dev: short skills by reinforcement first, whole tasks by light imitation after.
 *
 * Source: "Kimi-Dev: Agentless Training as Skill Prior for SWE-Agents", arXiv:2509.23045.
 * Differs from it: a skill is a task of the easiest level.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

export const kimiDev: CreateRecipe = recipe({
  name: "kimi-dev",
  literature: "Kimi-Dev",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "a skill is a task of the easiest level",
  ],
  schedule: ["skill-first"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup()],
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      name: "skills",
      steps,
      settings: { tasksPerStep: 12, learningRate, difficulty: 0 },
    }),
    demonstrationStart({ steps: startSteps, learningRate, name: "tasks" }),
  ],
});
