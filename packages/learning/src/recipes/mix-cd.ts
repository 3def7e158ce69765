/**
 * mix-cd: old samples are rehearsed where learning does most damage: in proportion to how often samples
 * like them were right and turned wrong, seen in the steps themselves.
 *
 * Source: Bai et al. 2024, "An Efficient Rehearsal Scheme for Catastrophic Forgetting Mitigation during
 * Multi-stage Fine-tuning", arXiv:2402.08096.
 * Differs from it: a sample is right from a mean probability of its tokens on; samples alike have as many
 * turns; two data sets follow one another again and again.
 * Why: log-probs at hand say how sure a model is without rollouts of its own.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const mixCd: CreateRecipe = recipe({
  name: "mix-cd",
  literature: "mix-cd",
  differs: [
    "a sample is right from a mean probability of its tokens on",
    "samples alike have as many turns",
    "two data sets follow one another again and again",
  ],
  schedule: ["rounds"],
  settings: {
    ...{ rounds: 2, rehearsed: 8, rightFrom: 0.5, capacity: 256, mistakes: 0 },
    ...{ steps: 8, learningRate: 3e-3 },
  },
  stages: ({ rehearsed, rightFrom, capacity, mistakes, steps, learningRate }) =>
    [{ name: "first", difficulty: 0 }, { name: "second" }].map(({ name, ...level }) =>
      tokenStage({
        name,
        rollout: parts.demos(mistakes),
        filters: [parts.collateral(rehearsed, rightFrom)],
        losses: [parts.crossEntropy()],
        state: { "rest-buffer": parts.leftovers(capacity) },
        steps,
        settings: { tasksPerStep: 16, learningRate, ...level },
      }),
    ),
});
