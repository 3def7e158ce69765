/**
 * Low-rank continual personalisation: task after task, each learned by a part of the adapter from the
 * same start, kept orthogonal to those before it or averaged with them.
 *
 * Source: Staniszewski et al. 2024, "Low-Rank Continual Personalization of Diffusion Models",
 * arXiv:2410.04891.
 * Differs from it: tasks are calling and answering in one environment; what is kept orthogonal are the
 * changes when they are merged, not their starts; the part is a setting, not found by relevance.
 * Why: two halves of one environment are tasks that one base can read; measuring relevance would be another run.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage, type Stage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

type Task = {
  readonly isCall: boolean;
  readonly place: string;
  readonly steps: number;
  readonly learningRate: number;
};

function personalised({ isCall, place, steps, learningRate }: Task): Stage {
  return tokenStage({
    name: isCall ? "calls" : "answers",
    rollout: parts.demos(),
    filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0 === isCall)],
    losses: [
      parts.parameterSubset(
        parts.crossEntropy(),
        (names) => new Set(names.filter((name) => name.includes(place))),
      ),
    ],
    steps,
    settings: { tasksPerStep: 32, learningRate },
  });
}

export const lowRankContinual: CreateRecipe = recipe({
  name: "low-rank-continual",
  literature: "Low-rank continual",
  differs: [
    "tasks are calling and answering in one environment",
    "what is kept orthogonal are the changes when they are merged, not their starts",
    "the part is a setting, not found by relevance",
  ],
  schedule: ["rounds"],
  settings: { isOrthogonal: true, place: "self_attn", rounds: 2, steps: 12, learningRate: 3e-3 },
  stages: ({ isOrthogonal, place, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [true, false].map((isCall) => [
        personalised({ isCall, place, steps, learningRate }),
      ]),
      how: isOrthogonal ? parts.orthogonalDeltas() : parts.averagedDeltas(),
      state: { delta: parts.deltas },
    }),
  ],
});
