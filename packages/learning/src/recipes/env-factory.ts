/**
 * EnvFactory: verified demonstrations in generated environments, then reinforcement there.
 *
 * Source: "EnvFactory: Scaling Tool-Use Agents via Executable Environments Synthesis and Robust RL"
 * (S143).
 * Differs from it: the environments are this project's own generators.
 * Why: they have exact verifiers and can be repeated from a seed.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { groupReinforcement } from "./group-reinforcement.ts";

export const envFactory: CreateRecipe = recipe({
  name: "env-factory",
  literature: "EnvFactory",
  differs: [
    "token-mean over the minibatch",
    "groups without a signal are rolled out again",
    "the environments are this project's own generators",
  ],
  schedule: ["sft-rl"],
  settings: { groupSize: 8, epsilon: 0.2, startSteps: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, epsilon, startSteps, steps, learningRate }) => [
    demonstrationStart({
      steps: startSteps,
      learningRate,
      mistakes: 0.3,
      filters: [parts.verify()],
    }),
    groupReinforcement({ groupSize, loss: parts.pgClip(epsilon), steps, learningRate }),
  ],
});
