/**
 * DT-Mem: stored runs are imitated by what they returned, with a working memory to read: what was done at
 * requests like this one. What goes into the memory changes with what is seen.
 *
 * Source: Kang et al. 2023, "Think Before You Act: Decision Transformers with Working Memory",
 * arXiv:2305.16338.
 * Differs from it: the memory is text that is recalled by shared words, not a matrix of the model; returns
 * weigh runs in place of a token that names them.
 * Why: a memory of text survives a new adapter, and a token of its own needs another vocabulary.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const dtMem: CreateRecipe = recipe({
  name: "dt-mem",
  literature: "DT-Mem",
  differs: [
    "the memory is text that is recalled by shared words, not a matrix of the model",
    "returns weigh runs in place of a token that names them",
  ],
  schedule: ["sft"],
  settings: {
    ...{ recalled: 2, least: 0.5, temperature: 0.5, trials: 4 },
    ...{ steps: 25, learningRate: 3e-3 },
  },
  stages: ({ recalled, least, temperature, trials, steps, learningRate }) => [
    tokenStage({
      rollout: parts.log(trials),
      filters: [parts.remembered(least)],
      reward: parts.outcome(),
      losses: [parts.returnConditioned(temperature)],
      state: { "memory-bank": parts.workingMemory(recalled) },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
