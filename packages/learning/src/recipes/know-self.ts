/**
 * KnowSelf: what the policy can do at once it does plainly; where it must think again or ask, it says so
 * first. By imitation, then by telling the fitting way apart from another.
 *
 * Source: "Agentic Knowledgeable Self-awareness" (S046).
 * Differs from it: a situation is that of a whole task; knowledge is a demonstrator's, which the
 * environment does not give again when it is asked.
 * Why: a task has one situation that can be labelled before it is tried.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const knowSelf: CreateRecipe = recipe({
  name: "know-self",
  literature: "KnowSelf",
  differs: [
    "a situation is that of a whole task",
    "knowledge is a demonstrator's, which the environment does not give again when it is asked",
  ],
  schedule: ["stages"],
  settings: {
    retold: "Think again.",
    rethink: "Again:",
    ask: "Help:",
    weight: 0.5,
    startSteps: 15,
    steps: 10,
    learningRate: 3e-3,
  },
  stages: ({ retold, rethink, ask, weight, startSteps, steps, learningRate }) => [
    tokenStage({
      name: "situations",
      rollout: parts.selfExplored(retold, { rethink, ask }),
      filters: [parts.inSituation()],
      losses: [parts.crossEntropy()],
      steps: startSteps,
      settings: { tasksPerStep: 16, learningRate },
    }),
    pairStage({
      name: "boundary",
      rollout: parts.selfExplored(retold, { rethink, ask }),
      filters: [parts.situationPairs()],
      reward: parts.outcome(),
      losses: [parts.chosenCrossEntropy(), { loss: parts.contrast(), weight }],
      steps,
      settings: { tasksPerStep: 16, learningRate },
    }),
  ],
});
