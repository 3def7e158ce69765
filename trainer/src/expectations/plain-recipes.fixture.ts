/**
 * The controls for which checks of papers must fail: plain GRPO and plain imitation. Tests only.
 */
import { type CreateRecipe, recipe, rewardStage, tokenStage } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";

const differs = ["the control of these tests"];

/** Control for reinforcement-learning recipes. */
export const PLAIN_GRPO: CreateRecipe = recipe({
  name: "plain-grpo",
  literature: "ARTIST",
  differs,
  schedule: ["one"],
  settings: {},
  stages: () => [
    rewardStage({
      rollout: parts.group(8),
      reward: parts.outcome(),
      advantage: parts.groupAdvantage(),
      losses: [parts.pgClip()],
    }),
  ],
});

/** Control for imitation recipes. */
export const PLAIN_SFT: CreateRecipe = recipe({
  name: "plain-sft",
  literature: "OPT-350M SFT",
  differs,
  schedule: ["sft"],
  settings: {},
  stages: () => [tokenStage({ rollout: parts.demos(0.3), losses: [parts.crossEntropy()] })],
});
