/** Thumbs of visitors; no verifier. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import { resource } from "../../composition/state.ts";
import * as parts from "../../parts.ts";
import { FEEDBACK_ROW, feedbackReinforcement } from "../stages/feedback-reinforcement.ts";

/**
 * KTO on thumbs: raises liked rollouts against the reference and lowers disliked ones, without pairs, groups or a
 * verifier.
 *
 * Source: Ethayarajh et al. 2024, "KTO: Model Alignment as Prospect Theoretic Optimization", arXiv:2402.01306.
 * Differs from it: rollouts are the policy's own, and new in each step.
 * Why: visitors judge the current policy.
 */
const thumbsKto: CreateRecipe = recipe({
  name: "thumbs-kto",
  literature: {
    recipe: "KTO on thumbs",
    paper: "KTO: Model Alignment as Prospect Theoretic Optimization",
    system: null,
    table: "feedback",
    parts: { rollout: ["single"], reward: ["feedback"], loss: ["kto"], schedule: ["one"] },
    difference: "Unpaired thumbs of visitors in place of a verifier.",
  },
  differs: ["rollouts are the policy's own, and new in each step"],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: { attempts: 64, beta: 0.3, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, beta, steps, learningRate }) => [
    tokenStage({
      rollout: parts.single(),
      reward: parts.feedback({ thumb: 1 }),
      losses: [parts.kto(beta)],
      state: { ref: resource("ref") },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

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

export const THUMB_RECIPES: readonly CreateRecipe[] = [thumbsKto, thumbsReinforce];
