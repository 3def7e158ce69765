/**
 * WebEvolver: an agent and a model of its environment that are trained together, round by round: the agent from
 * its successes, the model from what calls came to, and the agent again from its successes in the model.
 *
 * Source: "WebEvolver: Enhancing Web Agent Self-Improvement with Coevolving Environment Model" (S355).
 * Differs from it: agent and world model are one model in two roles; the calls that the world model
 * learns from are a demonstrator's with mistakes; no look-ahead at test time.
 * Why: one base is what pages hold, and a look-ahead would be paid at every turn of a visitor.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const webEvolver: CreateRecipe = recipe({
  name: "web-evolver",
  literature: "WebEvolver",
  differs: [
    "agent and world model are one model in two roles",
    "the calls that the world model learns from are a demonstrator's with mistakes",
    "no look-ahead at test time",
  ],
  schedule: ["rounds"],
  settings: { rounds: 2, ownSteps: 5, modelSteps: 8, steps: 5, learningRate: 3e-3 },
  stages: ({ ownSteps, modelSteps, steps, learningRate }) => [
    tokenStage({
      name: "agent",
      rollout: parts.single(),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      steps: ownSteps,
      settings: { tasksPerStep: 24, learningRate },
    }),
    tokenStage({
      name: "world model",
      rollout: parts.formedDemos(["world"]),
      losses: [parts.crossEntropy()],
      state: { "world-model": parts.ownModel },
      steps: modelSteps,
      settings: { tasksPerStep: 24, learningRate },
    }),
    tokenStage({
      name: "in the model",
      rollout: parts.selfAnswered(1),
      filters: [parts.success()],
      losses: [parts.crossEntropy()],
      state: { "world-model": parts.ownModel },
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
