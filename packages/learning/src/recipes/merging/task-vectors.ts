/** Recipes that add or average the changes of several models. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { mergeStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";
import { demonstrationStart } from "../stages/demonstration-start.ts";
import { groupReinforcement } from "../stages/group-reinforcement.ts";

/**
 * Model Breadcrumbs: removes the smallest and largest entries of each model's change before the changes are added.
 *
 * Source: Davari and Belilovsky 2023, "Model Breadcrumbs: Scaling Multi-Task Model Merging with Sparse Masks"
 * (S231).
 * Differs from it: the tasks are calling and answering in one environment; the factors of adapters are merged, not
 * their products.
 * Why: two halves of one environment are tasks that one base model can read, and pages load an adapter of the same
 * rank.
 */
const modelBreadcrumbs: CreateRecipe = recipe({
  name: "model-breadcrumbs",
  literature: "Model Breadcrumbs",
  differs: [
    "the tasks are calling and answering in one environment",
    "the factors of adapters are merged, not their products",
  ],
  mechanism: "partial",
  schedule: ["post-merge"],
  settings: { smallest: 0.85, largest: 0.01, scale: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ smallest, largest, scale, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "calls",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
          }),
        ],
        [
          demonstrationStart({
            name: "answers",
            steps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length === 0)],
          }),
        ],
      ],
      how: parts.breadcrumbs({ smallest, largest }, scale),
      state: { delta: parts.deltas },
    }),
  ],
});

/**
 * Model Ratatouille: learns one task from several starts, each fine-tuned on another task before, and averages the
 * results.
 *
 * Source: Rame et al. 2022, "Model Ratatouille: Recycling Diverse Models for Out-of-Distribution Generalization",
 * arXiv:2212.10445.
 * Differs from it: the other tasks are only calling and only answering, in one environment; the factors of adapters
 * are merged, not their products.
 * Why: two halves of one environment are tasks that one base model can read, and pages load an adapter of the same
 * rank.
 */
const modelRatatouille: CreateRecipe = recipe({
  name: "model-ratatouille",
  literature: "Model Ratatouille",
  differs: [
    "the other tasks are only calling and only answering, in one environment",
    "the factors of adapters are merged, not their products",
  ],
  mechanism: "partial",
  schedule: ["post-merge"],
  settings: { auxiliarySteps: 5, steps: 25, learningRate: 3e-3 },
  stages: ({ auxiliarySteps, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "calls",
            steps: auxiliarySteps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length > 0)],
          }),
          demonstrationStart({ steps, learningRate }),
        ],
        [
          demonstrationStart({
            name: "answers",
            steps: auxiliarySteps,
            learningRate,
            filters: [parts.stepMask(({ toolCalls }) => toolCalls.length === 0)],
          }),
          demonstrationStart({ steps, learningRate }),
        ],
      ],
      how: parts.averagedDeltas(),
      state: { delta: parts.deltas },
    }),
  ],
});

/**
 * PaST: adds the parameter change of reinforcement learning to a model that learned knowledge separately.
 *
 * Source: "Knowledge is Not Enough: Injecting RL Skills for Continual Adaptation" (S198).
 * Differs from it: knowledge is the text of demonstrations; the factors of adapters are merged, not their products.
 * Why: there is no other text about these environments, and pages load an adapter of the same rank.
 */
const past: CreateRecipe = recipe({
  name: "past",
  literature: "PaST",
  differs: [
    "knowledge is the text of demonstrations",
    "the factors of adapters are merged, not their products",
  ],
  mechanism: "partial",
  schedule: ["post-merge"],
  settings: { groupSize: 8, scale: 1, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, scale, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [
          demonstrationStart({
            name: "knowledge",
            steps,
            learningRate,
            loss: parts.languageModel(),
          }),
        ],
        [groupReinforcement({ groupSize, steps, learningRate, difficulty: 1 })],
      ],
      how: parts.addedDeltas(scale),
      state: { delta: parts.deltas },
    }),
  ],
});

/**
 * RAM: merges several models trained by reinforcement learning. Shared changes are averaged; changes of only one
 * model are kept and rescaled.
 *
 * Source: "Behavior Knowledge Merge in Reinforced Agentic Models" (S097).
 * Differs from it: the models learned easy tasks and all tasks; the factors of adapters are merged, not their
 * products.
 * Why: the levels of an environment are tasks that one base model can read, and pages load an adapter of the same
 * rank.
 */
const ram: CreateRecipe = recipe({
  name: "ram",
  literature: "RAM",
  differs: [
    "the models learned easy tasks and all tasks",
    "the factors of adapters are merged, not their products",
  ],
  mechanism: "partial",
  schedule: ["post-merge"],
  settings: { groupSize: 8, rescaling: 0.1, steps: 25, learningRate: 3e-3 },
  stages: ({ groupSize, rescaling, steps, learningRate }) => [
    mergeStage({
      rollout: parts.weights(),
      members: [
        [groupReinforcement({ groupSize, steps, learningRate, difficulty: 0 })],
        [groupReinforcement({ groupSize, steps, learningRate, difficulty: 1 })],
      ],
      how: parts.reinforced(rescaling),
      state: { delta: parts.deltas },
    }),
  ],
});

export const TASK_VECTOR_RECIPES: readonly CreateRecipe[] = [
  modelBreadcrumbs,
  modelRatatouille,
  past,
  ram,
];
