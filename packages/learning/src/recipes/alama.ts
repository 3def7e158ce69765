/**
 * ALAMA: rollouts in every mechanism at a task; the better is imitated and told apart from the
 * worse.
 *
 * Source: "Towards Adaptive Mechanism Activation in Language Agent" (S329).
 * Differs from it: a mechanism is a sentence of the system message; the chosen and the rejected are
 * compared by mean log-probs of their tokens.
 * Why: a sentence is all that tells mechanisms apart in one format, and sums of log-probs would choose by
 * length.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { pairStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const alama: CreateRecipe = recipe({
  name: "alama",
  literature: "ALAMA",
  differs: [
    "a mechanism is a sentence of the system message",
    "the chosen and the rejected are compared by mean log-probs of their tokens",
  ],
  schedule: ["one"],
  settings: { perMode: 2, margin: 0.5, weight: 0.5, steps: 25, learningRate: 3e-3 },
  stages: ({ perMode, margin, weight, steps, learningRate }) => [
    pairStage({
      rollout: parts.modeStrata(["", "Be brief."], perMode),
      filters: [parts.pairGap(margin)],
      reward: parts.outcome(),
      losses: [parts.chosenCrossEntropy(), { loss: parts.contrast(), weight }],
      steps,
      settings: { tasksPerStep: 24, learningRate },
    }),
  ],
});
