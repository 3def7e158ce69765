/** Imitation in which only some parameters move. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { upperLayers } from "../../losses/parameter-subset.ts";
import { privatize } from "../../filters/privatized.ts";

/**
 * HFT: trains half of the matrices of each layer, with a new half in each step.
 *
 * Source: Hui et al. 2024, "HFT: Half Fine-Tuning for Large Language Models", arXiv:2404.18466.
 * Differs from it: the half is drawn in every step, not in every stage.
 * Why: there is only one stage, and a single draw would leave half of the adapter untrained.
 */
const hft: CreateRecipe = recipe({
  name: "hft",
  literature: "HFT",
  differs: ["the half is drawn in every step, not in every stage"],
  mechanism: "whole",
  schedule: ["rounds"],
  settings: { share: 0.5, rounds: 2, steps: 25, learningRate: 3e-3 },
  stages: ({ share, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [parts.parameterSubset(parts.crossEntropy(), parts.drawnShare(share))],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * LocFT-BF: several epochs over a batch, on one kind of matrix only.
 *
 * Source: "Fine-tuning Done Right in Model Editing", arXiv:2509.22072.
 * Differs from it: the location is a setting, not found by search; it edits behavior, not facts.
 * Why: a search for the location would need as many runs, and the environments ask for behavior.
 */
const locFt: CreateRecipe = recipe({
  name: "loc-ft",
  literature: "LocFT-BF",
  differs: ["the location is a setting, not found by search", "it edits behavior, not facts"],
  mechanism: "partial",
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

/**
 * Input-space tuning: trains only a transform of the input; the rest of the model is frozen.
 *
 * Source: "Continual Learning with Pretrained Backbones by Tuning in the Input Space" (S117).
 * Differs from it: the transform is the first layer's input projections; the model's own head is used.
 * Why: the engine trains parameters of the decoder, not a module in front of it.
 */
const inputSpace: CreateRecipe = recipe({
  name: "input-space",
  literature: "Input-space tuning",
  differs: ["the transform is the first layer's input projections", "the model's own head is used"],
  mechanism: "nominal",
  schedule: ["sft"],
  settings: { steps: 25, learningRate: 3e-3 },
  stages: ({ steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [
        parts.parameterSubset(
          parts.crossEntropy(),
          (names) => new Set(names.filter((name) => /layers\.0\.self_attn\.[qkv]_proj/.test(name))),
        ),
      ],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

/**
 * SAP: splits the model. The lower part stays with the owner of the data and passes on less information, and only
 * the upper part is trained.
 *
 * Source: "A Split-and-Privatize Framework for Large Language Model Fine-Tuning" (S010).
 * Differs from it: input tokens are replaced at random before the lower part, instead of noise on its output; both
 * parts run in one process.
 * Why: noise on a layer's output would need a separate graph in the engine.
 */
const sap: CreateRecipe = recipe({
  name: "sap",
  literature: "SAP",
  differs: [
    "input tokens are replaced at random before the lower part, instead of noise on its output",
    "both parts run in one process",
  ],
  mechanism: "partial",
  schedule: ["sft"],
  settings: { replaced: 0.05, from: 0.5, mistakes: 0, steps: 25, learningRate: 3e-3 },
  stages: ({ replaced, from, mistakes, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(mistakes),
      filters: [privatize(replaced)],
      losses: [parts.parameterSubset(parts.crossEntropy(), upperLayers(from))],
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});

export const PARAMETER_RECIPES: readonly CreateRecipe[] = [hft, locFt, inputSpace, sap];
