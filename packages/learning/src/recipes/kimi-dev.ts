/**
 * Kimi-Dev: short skills by reinforcement first, whole tasks by light imitation after.
 *
 * Source: "Kimi-Dev: Agentless Training as Skill Prior for SWE-Agents", arXiv:2509.23045.
 * Differs from it: a skill is a task of the easiest level.
 * Why: a skill that is a whole task can be verified.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

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
    groupReinforcement({
      groupSize,
      name: "skills",
      loss: parts.pgClip(epsilon),
      steps,
      learningRate,
      difficulty: 0,
    }),
    demonstrationStart({ steps: startSteps, learningRate, name: "tasks" }),
  ],
});
