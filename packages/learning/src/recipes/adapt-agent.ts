/**
 * AdaptAgent: a start from which one or two demonstrations are enough, and those demonstrations at test
 * time, for each kind of task anew.
 *
 * Source: "AdaptAgent: Adapting Multimodal Web Agents with Few-Shot Learning from Human Demonstrations"
 * (S021).
 * Differs from it: a site is a level of the environment; the person is its demonstrator, at training
 * tasks of the level; the meta-gradient is of first order.
 * Why: there is neither a real site nor a person, and second derivatives are not in the engine's port.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const adaptAgent: CreateRecipe = recipe({
  name: "adapt-agent",
  literature: "AdaptAgent",
  differs: [
    "a site is a level of the environment",
    "the person is its demonstrator, at training tasks of the level",
    "the meta-gradient is of first order",
  ],
  schedule: ["sft"],
  settings: {
    shown: 2,
    metaShown: 16,
    metaSteps: 20,
    innerSteps: 2,
    adaptSteps: 2,
    learningRate: 3e-3,
  },
  stages: ({ shown, metaShown, metaSteps, innerSteps, adaptSteps, learningRate }) => [
    tokenStage({
      name: "start",
      // One site a step: as many demonstrations to adapt with as to be tried on.
      rollout: parts.neighborDemos(metaShown),
      losses: [parts.bilevel(parts.forQuery(), parts.learnsSupport(innerSteps, learningRate))],
      state: { "fast-weights": parts.temporary },
      steps: metaSteps,
      settings: { tasksPerStep: 1, learningRate },
    }),
    tokenStage({
      name: "site",
      rollout: parts.neighborDemos(4 * shown),
      filters: [parts.curated(shown)],
      losses: [parts.crossEntropy()],
      schedule: [parts.testTime("level")],
      steps: adaptSteps,
      settings: { tasksPerStep: 1, learningRate },
    }),
  ],
});
