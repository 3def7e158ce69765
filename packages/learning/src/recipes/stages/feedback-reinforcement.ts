/**
 * The stage of recipes that learn from feedback with REINFORCE and a moving baseline. Feedback may come versions later, so
 * tokens have truncated weights. Not a recipe.
 */
import type { RewardPart } from "../../composition/part.ts";
import { rewardStage, type Stage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/** The parts and the paper that recipes with this stage share. */
export const FEEDBACK_ROW = {
  paper: "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning",
  system: null,
  table: "feedback",
  parts: {
    rollout: ["single"],
    reward: ["feedback"],
    advantage: ["rae"],
    loss: ["reinforce", "tis"],
    state: ["baseline"],
    schedule: ["one"],
  },
} as const;

export function feedbackReinforcement({
  reward,
  attempts,
  decay,
  prior,
  steps,
  learningRate,
}: {
  readonly reward: RewardPart;
  /** Single rollouts per step. */
  readonly attempts: number;
  /** Share of the baseline that remains after one reward. */
  readonly decay: number;
  /** The baseline before the first reward. */
  readonly prior: number;
  readonly steps: number;
  readonly learningRate: number;
}): Stage {
  return rewardStage({
    rollout: parts.single(),
    reward,
    advantage: parts.movingBaselineAdvantage(),
    losses: [parts.truncatedImportance(parts.reinforce())],
    state: { baseline: parts.baseline({ decay, prior }) },
    steps,
    settings: { tasksPerStep: attempts, learningRate },
  });
}
