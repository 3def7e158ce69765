/**
 * MOTO: values and a policy near what was done are learned from stored runs, then go on in a model of the
 * environment, over which values are expanded for some turns only.
 *
 * Source: Rafailov et al. 2024, "MOTO: Offline Pre-training to Online Fine-tuning for Model-based Robot
 * Learning", arXiv:2401.03306.
 * Differs from it: the model is one, so uncertainty is bounded by the share of calls that it answers and by
 * the turns of an expansion, not by how much several disagree.
 * Why: one base is what a run holds, and several adapters over it would be fitted to the same calls.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const moto: CreateRecipe = recipe({
  name: "moto",
  literature: "MOTO",
  differs: [
    "the model is one, so uncertainty is bounded by the share of calls that it answers and by the turns of an expansion, not by how much several disagree",
  ],
  schedule: ["offline-online"],
  settings: {
    ...{ discount: 0.95, expansion: 2, strength: 2.5, simulated: 0.5, stored: 4, size: 4 },
    ...{ steps: 12, onlineSteps: 12, learningRate: 3e-3 },
  },
  stages: ({ discount, expansion, strength, simulated, stored, size, learningRate, ...run }) => {
    const learned = {
      reward: parts.outcome(),
      losses: [parts.tdBc({ strength })],
    } as const;
    return [
      rewardStage({
        ...learned,
        name: "offline",
        rollout: parts.log(stored),
        advantage: parts.temporalDifference({ discount, chunk: 1, next: "logged" }),
        state: { critic: parts.valueHead },
        steps: run.steps,
        settings: { tasksPerStep: 32, learningRate },
      }),
      rewardStage({
        ...learned,
        name: "online",
        rollout: parts.simulatedTools({ size, share: simulated }),
        advantage: parts.temporalDifference({ discount, chunk: expansion, next: "best" }),
        state: { critic: parts.valueHead, "world-model": parts.worldModel },
        steps: run.onlineSteps,
        settings: { tasksPerStep: 12, learningRate },
      }),
    ];
  },
});
