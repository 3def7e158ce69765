/** Feedback as labels, good or bad, without pairs, groups or a verifier. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import { tokenStage } from "../../composition/stage.ts";
import * as parts from "../../parts.ts";

/** The parts and the paper that both recipes share. */
const KTO_ROW = {
  paper: "KTO: Model Alignment as Prospect Theoretic Optimization",
  system: null,
  table: "feedback",
  parts: { rollout: ["single"], reward: ["feedback"], loss: ["kto"], schedule: ["one"] },
} as const;

/**
 * KTO on thumbs: raises liked rollouts against the reference and lowers disliked ones, without pairs, groups or a
 * verifier. The reference point is the paper's estimate: the log-ratio of the step's prompts with the completions of other rows,
 * on average and at least 0. Rows that weigh more in the loss weigh more in it.
 *
 * Source: Ethayarajh et al. 2024, "KTO: Model Alignment as Prospect Theoretic Optimization", arXiv:2402.01306.
 * Differs from it: rollouts are the policy's own, and new in each step.
 * Why: visitors judge the current policy.
 */
const thumbsKto: CreateRecipe = recipe({
  name: "thumbs-kto",
  literature: {
    ...KTO_ROW,
    recipe: "KTO on thumbs",
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
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

/**
 * KTO on thumbs, outcomes, next messages and undone actions: a rollout is desirable if the weighted mean of the signals that
 * are there is at least 0.5. The reference point is that of `thumbs-kto`.
 *
 * Source: Ethayarajh et al. 2024, "KTO: Model Alignment as Prospect Theoretic Optimization", arXiv:2402.01306.
 * Differs from it: rollouts are the policy's own, and new in each step; the label is that of the mean of several signals.
 * Why: visitors judge the current policy.
 */
const signalsKto: CreateRecipe = recipe({
  name: "signals-kto",
  literature: {
    ...KTO_ROW,
    recipe: "KTO on thumbs, outcomes and next messages",
    difference: "Unpaired labels from thumbs, outcomes and next messages in place of a verifier.",
  },
  differs: [
    "rollouts are the policy's own, and new in each step",
    "the label is that of the mean of several signals",
  ],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: {
    attempts: 64,
    beta: 0.3,
    thumbWeight: 1,
    messageWeight: 0.5,
    undoWeight: 1,
    steps: 30,
    learningRate: 3e-3,
  },
  stages: ({ attempts, beta, thumbWeight, messageWeight, undoWeight, steps, learningRate }) => [
    tokenStage({
      rollout: parts.single(),
      reward: parts.feedback({
        thumb: thumbWeight,
        outcome: 1,
        message: messageWeight,
        undo: undoWeight,
      }),
      losses: [parts.kto(beta)],
      state: { ref: parts.reference },
      steps,
      settings: { tasksPerStep: attempts, learningRate },
    }),
  ],
});

export const LABEL_RECIPES: readonly CreateRecipe[] = [thumbsKto, signalsKto];
