/**
 * KTO on thumbs: single rollouts that visitors liked are raised against the reference and disliked ones
 * lowered, without pairs, groups or a verifier.
 *
 * Source: Ethayarajh et al. 2024, "KTO: Model Alignment as Prospect Theoretic Optimization",
 * arXiv:2402.01306.
 * Differs from it: rollouts are the policy's own, new ones each step; the divergence is 0 (the form
 * that TRL calls APO-zero-unpaired), so that no mismatched answers are scored.
 * Why: visitors judge what the policy says now.
 */
import { type CreateRecipe, recipe } from "../composition/definition.ts";
import { tokenStage } from "../composition/stage.ts";
import { resource } from "../composition/state.ts";
import * as parts from "../parts/index.ts";

export const thumbsKto: CreateRecipe = recipe({
  name: "thumbs-kto",
  literature: {
    recipe: "KTO on thumbs",
    paper: "KTO: Model Alignment as Prospect Theoretic Optimization",
    system: null,
    table: "feedback",
    parts: { rollout: ["single"], reward: ["feedback"], loss: ["kto"], schedule: ["one"] },
    difference: "Unpaired thumbs of visitors in place of a verifier.",
  },
  differs: ["rollouts are the policy's own, new ones each step", "the divergence is 0"],
  schedule: ["one"],
  settings: { attempts: 64, beta: 0.3, steps: 30, learningRate: 3e-3 },
  stages: ({ attempts, beta, steps, learningRate }) => [
    tokenStage({
      rollout: parts.single(),
      reward: parts.thumbs(),
      losses: [parts.kto(beta)],
      state: { ref: resource("ref") },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});
