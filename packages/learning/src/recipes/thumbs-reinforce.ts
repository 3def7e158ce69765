/**
 * REINFORCE on thumbs with a moving baseline: each rollout stands alone, and what it is compared with is
 * what visitors liked before.
 *
 * Sources: Williams 1992; the moving baseline of Liu et al. 2025, "SPIRAL", arXiv:2506.24119, with the
 * decay of prime-rl.
 * Differs from them: the baseline is one for all visitors and begins at a half.
 * Why: most visitors come once, so that an average of each would never be known.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { rewardStage } from "../composition/stage.ts";
import * as parts from "../parts/index.ts";

export const thumbsReinforce: CreateRecipe = recipe({
  name: "thumbs-reinforce",
  literature: {
    recipe: "REINFORCE on thumbs",
    paper: "SPIRAL: Self-Play on Zero-Sum Games Incentivizes Reasoning",
    system: null,
    table: "feedback",
    parts: {
      rollout: ["single"],
      reward: ["feedback"],
      advantage: ["rae"],
      loss: ["reinforce"],
      state: ["baseline"],
      schedule: ["one"],
    },
    difference: "Thumbs of visitors in place of a verifier, single rollouts.",
  },
  differs: ["one baseline for all visitors, which begins at a half"],
  schedule: ["one"],
  settings: { attempts: 64, decay: 0.95, prior: 0.5, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, decay, prior, steps, learningRate }) => [
    rewardStage({
      rollout: parts.single(),
      reward: parts.thumbs(),
      advantage: parts.movingBaselineAdvantage(),
      losses: [parts.reinforce()],
      state: { baseline: parts.baseline({ decay, prior }) },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});
