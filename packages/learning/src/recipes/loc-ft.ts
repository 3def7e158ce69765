/**
 * LocFT-BF: several epochs over a batch, at one kind of matrix only.
 *
 * Source: "Fine-tuning Done Right in Model Editing", arXiv:2509.22072.
 * Differs from it: the place is a setting, not found by search; what is edited is behaviour, not
 * facts.
 * Why: a search for the place would be as many runs, and the environments ask for behaviour, not for facts.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const locFt: CreateRecipe = recipe({
  name: "loc-ft",
  literature: "LocFT-BF",
  differs: [
    "the place is a setting, not found by search",
    "what is edited is behaviour, not facts",
  ],
  schedule: ["sft"],
  settings: { place: "down_proj", epochs: 3, steps: 25, learningRate: 3e-3 },
  stages: ({ place, epochs, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [
        parts.parameterSubset(
          parts.crossEntropy(),
          (names) => new Set(names.filter((name) => name.includes(place))),
        ),
      ],
      steps,
      settings: { tasksPerStep: 32, learningRate, epochs },
    }),
  ],
});
