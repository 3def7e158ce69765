/**
 * Input-space tuning: only what transforms the input learns, the rest of the model stays.
 *
 * Source: "Continual Learning with Pretrained Backbones by Tuning in the Input Space" (S117).
 * Differs from it: the transform is the first layer's projections of its input; no head of its own:
 * the model's is kept.
 * Why: the engine's port trains parameters of the decoder, not what is put before it.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const inputSpace: CreateRecipe = recipe({
  name: "input-space",
  literature: "Input-space tuning",
  differs: [
    "the transform is the first layer's projections of its input",
    "no head of its own: the model's is kept",
  ],
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
