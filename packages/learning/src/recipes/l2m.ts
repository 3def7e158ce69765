/**
 * L2M: a pool of modulators over a frozen model, of which each task has one; tasks come one after another,
 * and what was learned for one is not touched by the next.
 *
 * Source: Schmied et al. 2023, "Learning to Modulate pre-trained Models in RL", arXiv:2306.14884.
 * Differs from it: the modulator of a task is known, not found by its key; modulators are adapters of the
 * attention alone.
 * Why: which task it is stands in its reference, and where modulators sit is a setting.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
const MODULATORS = ["modulator-0", "modulator-1", "modulator-2"] as const;

export const l2m: CreateRecipe = recipe({
  name: "l2m",
  literature: "L2M",
  differs: [
    "the modulator of a task is known, not found by its key",
    "modulators are adapters of the attention alone",
  ],
  schedule: ["rounds"],
  settings: { place: "self_attn", steps: 5, rounds: 2, learningRate: 3e-3 },
  stages: ({ place, steps, learningRate }) =>
    MODULATORS.map((modulator) =>
      tokenStage({
        name: modulator,
        rollout: parts.demos(),
        losses: [
          parts.parameterSubset(
            parts.crossEntropy(),
            (names) => new Set(names.filter((name) => name.includes(place))),
          ),
        ],
        state: {
          "role-adapters": parts.roleAdapters(MODULATORS, {
            learn: [modulator],
            roleOf: parts.byLevel(MODULATORS),
          }),
        },
        steps,
        settings: { tasksPerStep: 48, learningRate },
      }),
    ),
});
