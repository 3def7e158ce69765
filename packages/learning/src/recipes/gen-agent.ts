/**
 * GenAgent: absolute scores of a reward model beside wins over the other rollouts, and rollouts that go
 * on from the beginnings of failed ones.
 *
 * Source: "GenAgent: Scaling Text-to-Image Generation via Agentic Multimodal Reasoning" (S172).
 * Differs from it: no images; resampled rollouts are a stage of their own.
 * Why: the models read text alone, and a stage of its own keeps the budget of each readable.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import type { RolloutPart } from "../composition/part.ts";
import { rewardStage, type Stage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";
import { demonstrationStart } from "./demonstration-start.ts";
import { outcomeModel } from "./outcome-model.ts";

export const genAgent: CreateRecipe = recipe({
  name: "gen-agent",
  literature: "GenAgent",
  differs: ["no images", "resampled rollouts are a stage of their own"],
  schedule: ["sft-rl"],
  settings: {
    groupSize: 8,
    epsilon: 0.2,
    startSteps: 2,
    modelSteps: 8,
    steps: 18,
    resampledSteps: 8,
    learningRate: 3e-3,
    absolute: 0.5,
  },
  stages: ({ groupSize, epsilon, startSteps, modelSteps, steps, resampledSteps, ...rest }) => {
    const { learningRate, absolute } = rest;
    const reinforced = (name: string, rollout: RolloutPart<never, "group">, count: number): Stage =>
      rewardStage({
        name,
        rollout,
        reward: parts.weighted<"rm">([
          [parts.rewardModel(), absolute],
          [parts.preference(), 1 - absolute],
        ]),
        advantage: parts.groupAdvantage(),
        losses: [parts.pgClip(epsilon)],
        state: { rm: parts.rewardModelState },
        steps: count,
        settings: { tasksPerStep: 12, learningRate },
      });
    return [
      demonstrationStart({ steps: startSteps, learningRate }),
      outcomeModel({ steps: modelSteps, learningRate, at: "end" }),
      reinforced("whole", parts.group(groupSize), steps),
      reinforced("resampled", parts.prefixReplay("failed", groupSize), resampledSteps),
    ];
  },
});
