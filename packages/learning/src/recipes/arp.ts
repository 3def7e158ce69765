/**
 * ARP: stored runs are imitated by a return that nobody paid: how like what was seen is to what was asked,
 * and what a model made of the runs expects.
 *
 * Source: Kim et al. 2023, "Guide Your Agent with Adaptive Multimodal Rewards", arXiv:2309.10790.
 * Differs from it: what was seen is text and its embedding the counts of its tokens; a reward model fitted
 * to outcomes stands for the fine-tuned encoder; returns weigh runs in place of a token that names them.
 * Why: the environments speak in text, and a token of its own needs another vocabulary.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardModelStage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const arp: CreateRecipe = recipe({
  name: "arp",
  literature: "ARP",
  differs: [
    "what was seen is text and its embedding the counts of its tokens",
    "a reward model fitted to outcomes stands for the fine-tuned encoder",
    "returns weigh runs in place of a token that names them",
  ],
  schedule: ["one"],
  settings: {
    ...{ similarity: 0.3, temperature: 0.3, trials: 4, modelSteps: 8 },
    ...{ steps: 20, learningRate: 3e-3 },
  },
  stages: ({ similarity, temperature, trials, modelSteps, steps, learningRate }) => [
    rewardModelStage({
      name: "encoder",
      rollout: parts.log(trials),
      reward: parts.outcome(),
      losses: [parts.outcomeRegression("end")],
      state: { rm: parts.rewardModelState },
      steps: modelSteps,
      settings: { tasksPerStep: 48, learningRate },
    }),
    tokenStage({
      rollout: parts.log(trials),
      reward: parts.weighted<"rm">([
        [parts.observationLikeness(), similarity],
        [parts.rewardModel(), 1 - similarity],
      ]),
      losses: [parts.returnConditioned(temperature)],
      state: { rm: parts.rewardModelState },
      steps,
      settings: { tasksPerStep: 32, learningRate },
    }),
  ],
});
