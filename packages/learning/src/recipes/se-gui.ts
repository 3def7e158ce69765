/**
 * SE-GUI: a few well chosen trajectories, pay that is continuous, in rounds.
 *
 * Source: "Enhancing Visual Grounding for GUI Agents via Self-Evolutionary Reinforcement Learning"
 * (S141).
 * Differs from it: closeness is the environment's progress; trajectories are chosen anew in every step.
 * Why: progress is exact here, and a policy that learns needs other trajectories than the one before it.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const seGui: CreateRecipe = recipe({
  name: "se-gui",
  literature: "SE-GUI",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "closeness is the environment's progress",
    "trajectories are chosen anew in every step",
  ],
  schedule: ["rounds"],
  settings: { groupSize: 8, epsilon: 0.2, steps: 25, learningRate: 3e-3, budget: 48, rounds: 2 },
  stages: ({ groupSize, epsilon, steps, learningRate, budget }) => [
    rewardStage({
      rollout: parts.group(groupSize),
      filters: [parts.mixedGroup(), parts.curated(budget)],
      reward: parts.progress(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip(epsilon)],
      steps,
      settings: { tasksPerStep: 12, learningRate },
    }),
  ],
});
