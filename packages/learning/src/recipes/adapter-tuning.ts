/**
 * Adapter tuning: small adapters at a few places of a frozen model, one for each language.
 *
 * Source: "One Adapter for All Programming Languages? Adapter Tuning for Code Search and Summarization",
 * arXiv:2303.15822.
 * Differs from it: low-rank adapters at the feed-forward layers in place of bottleneck layers after them;
 * kinds of task in place of languages.
 * Why: what is trained, kept and loaded by pages are low-rank adapters, and the environments speak one language.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const KINDS = ["kind-0", "kind-1", "kind-2"] as const;

export const adapterTuning: CreateRecipe = recipe({
  name: "adapter-tuning",
  literature: "Adapter tuning",
  differs: [
    "low-rank adapters at the feed-forward layers in place of bottleneck layers after them",
    "kinds of task in place of languages",
  ],
  schedule: ["sft"],
  settings: { place: "mlp", steps: 25, learningRate: 3e-3 },
  stages: ({ place, steps, learningRate }) => [
    tokenStage({
      rollout: parts.demos(),
      losses: [
        parts.parameterSubset(
          parts.crossEntropy(),
          (names) => new Set(names.filter((name) => name.includes(place))),
        ),
      ],
      state: { "role-adapters": parts.roleAdapters(KINDS, { roleOf: parts.byLevel(KINDS) }) },
      steps,
      settings: { tasksPerStep: 48, learningRate },
    }),
  ],
});
