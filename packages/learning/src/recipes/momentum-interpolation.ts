/**
 * Momentum interpolation: a slow average of the weights follows what is fine-tuned, and is what is used.
 *
 * Source: Stojanovski et al. 2022, "Momentum-based Weight Interpolation of Strong Zero-Shot Models for
 * Continual Learning", arXiv:2211.03186.
 * Differs from it: adapters are averaged factor by factor; levels of difficulty follow each other in place of
 * data sets.
 * Why: what pages load is an adapter of the same rank, and levels are what one environment has in place of data
 * sets.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
export const momentumInterpolation: CreateRecipe = recipe({
  name: "momentum-interpolation",
  literature: "Momentum interpolation",
  differs: [
    "adapters are averaged factor by factor",
    "levels of difficulty follow each other in place of data sets",
  ],
  schedule: ["rounds"],
  settings: { decay: 0.9, steps: 10, rounds: 2, learningRate: 3e-3 },
  stages: ({ decay, steps, learningRate }) =>
    [0, 1].map((difficulty) =>
      tokenStage({
        name: difficulty === 0 ? "easy" : "all",
        rollout: parts.demos(),
        losses: [parts.crossEntropy()],
        state: { "slow-copy": parts.averagedCopy(decay) },
        steps,
        settings: { tasksPerStep: 32, learningRate, difficulty },
      }),
    ),
});
