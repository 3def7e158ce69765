/** Thumbs of visitors; no verifier. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import * as parts from "../../parts.ts";
import { FEEDBACK_ROW, feedbackReinforcement } from "../stages/feedback-reinforcement.ts";

/**
 * REINFORCE on thumbs with a moving baseline: each rollout is compared with the average of earlier thumbs.
 *
 * Sources: Williams 1992; the moving baseline of Liu et al. 2025, "SPIRAL", arXiv:2506.24119, with the decay of
 * prime-rl.
 * Differs from them: one baseline for all visitors, which starts at 0.5.
 * Why: most visitors come once, so an average for each visitor would never be known.
 */
const thumbsReinforce: CreateRecipe = recipe({
  name: "thumbs-reinforce",
  literature: {
    ...FEEDBACK_ROW,
    recipe: "REINFORCE on thumbs",
    difference: "Thumbs of visitors in place of a verifier, single rollouts.",
  },
  differs: ["one baseline for all visitors, which starts at 0.5"],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { attempts: 64, decay: 0.95, prior: 0.5, steps: 30, learningRate: 3e-3 },
  stages: (settings) => [
    feedbackReinforcement({ ...settings, reward: parts.feedback({ thumb: 1 }) }),
  ],
});

export const THUMB_RECIPES: readonly CreateRecipe[] = [thumbsReinforce];
