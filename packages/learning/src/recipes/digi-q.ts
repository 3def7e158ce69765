/**
 * Digi-Q: values of actions are learned from stored runs by a head on frozen features, then the policy
 * imitates the best of several actions that it proposes itself.
 *
 * Source: Bai et al. 2025, "Digi-Q: Learning Q-Value Functions for Training Device-Control Agents",
 * arXiv:2502.15760.
 * Differs from it: the features are the policy's own, not fine-tuned for actionability before; stored
 * turns are repeated in the environment so that their text is right.
 * Why: a fine-tuning of features before would be a second run.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

/** Parameters of the critic's head. */
const HEAD = /^score\./;

export const digiQ: CreateRecipe = recipe({
  name: "digi-q",
  literature: "Digi-Q",
  differs: [
    "the features are the policy's own, not fine-tuned for actionability before",
    "stored turns are repeated in the environment so that their text is right",
  ],
  schedule: ["stages"],
  settings: {
    ...{ discount: 0.95, proposals: 4, stored: 4 },
    ...{ criticSteps: 15, criticLearningRate: 0.01, steps: 15, learningRate: 3e-3 },
  },
  stages: ({ discount, proposals, stored, ...run }) => [
    rewardStage({
      name: "critic",
      rollout: parts.log(stored),
      reward: parts.outcome(),
      advantage: parts.temporalDifference({ discount, chunk: 1, next: "best" }),
      losses: [
        parts.parameterSubset(
          parts.tdBc({ strength: 0, criticWeight: 1 }),
          (names) => new Set(names.filter((name) => HEAD.test(name))),
        ),
      ],
      state: { critic: parts.valueHead },
      steps: run.criticSteps,
      settings: { tasksPerStep: 32, learningRate: run.criticLearningRate },
    }),
    tokenStage({
      name: "best-of-n",
      rollout: parts.log(1, { count: proposals }),
      losses: [parts.bestProposals()],
      state: { critic: parts.valueHead },
      steps: run.steps,
      settings: { tasksPerStep: 24, learningRate: run.learningRate },
    }),
  ],
});
