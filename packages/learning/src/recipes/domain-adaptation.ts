/**
 * CPT-SFT-DPO/ORPO with merging: raw text, demonstrations and preferences one after another, once with
 * each of two preference losses, and the two models that come of it are merged.
 *
 * Source: Lu et al. 2024, "Fine-tuning large language models for domain adaptation: Exploration of
 * training strategies, scaling, model merging and synergistic capabilities", arXiv:2409.03444.
 * Differs from it: both chains are of one domain; factors of adapters are merged, not their products.
 * Why: an environment is one domain, and what pages load is an adapter of the same rank.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { mergeStage, pairStage, type Stage, tokenStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";

type Chain = {
  readonly textSteps: number;
  readonly startSteps: number;
  readonly steps: number;
  readonly learningRate: number;
};

function beforePreferences({ textSteps, startSteps, learningRate }: Chain): Stage[] {
  return [
    tokenStage({
      name: "text",
      rollout: parts.demos(),
      losses: [parts.languageModel()],
      steps: textSteps,
      settings: { tasksPerStep: 32, learningRate },
    }),
    demonstrationStart({ steps: startSteps, learningRate }),
  ];
}

/** Several demonstrations of a task, some of them wrong: the pairs of both chains. */
const COMPARED = { size: 4, mistakes: 0.4 };

export const domainAdaptation: CreateRecipe = recipe({
  name: "domain-adaptation",
  literature: "CPT-SFT-DPO/ORPO-merge",
  differs: ["both chains are of one domain", "factors of adapters are merged, not their products"],
  schedule: ["cpt-sft-pref", "post-merge"],
  settings: {
    ...{ beta: 0.1, oddsWeight: 0.1, margin: 0.5 },
    ...{ textSteps: 4, startSteps: 6, steps: 15, learningRate: 3e-3 },
  },
  stages: ({ beta, oddsWeight, margin, ...chain }) => {
    const pairs = {
      rollout: parts.toldDemos([""], COMPARED),
      filters: [parts.pairGap(margin)],
      reward: parts.preference(),
      steps: chain.steps,
      settings: { tasksPerStep: 16, learningRate: chain.learningRate },
    } as const;
    return [
      mergeStage({
        rollout: parts.weights(),
        members: [
          [
            ...beforePreferences(chain),
            pairStage({ ...pairs, losses: [parts.dpo(beta)], state: { ref: parts.reference } }),
          ],
          [...beforePreferences(chain), pairStage({ ...pairs, losses: [parts.orpo(oddsWeight)] })],
        ],
        how: parts.spherical(),
        state: { delta: parts.deltas },
      }),
    ];
  },
});
