/** Outcomes that a site reports and messages of visitors, alone or with thumbs and undone actions; no verifier. */
import { type CreateRecipe, recipe } from "../../composition/definition.ts";
import * as parts from "../../parts.ts";
import { FEEDBACK_ROW, feedbackReinforcement } from "../stages/feedback-reinforcement.ts";

/**
 * REINFORCE on outcomes with a moving baseline: each rollout is compared with the average of earlier outcomes.
 *
 * Sources: Williams 1992; the moving baseline of Liu et al. 2025, "SPIRAL", arXiv:2506.24119, with the decay of
 * prime-rl; metrics with a direction as in TensorZero.
 * Differs from them: one baseline for all visitors and metrics, which starts at 0.5.
 * Why: most visitors come once, and most requests have few outcomes.
 */
const outcomesReinforce: CreateRecipe = recipe({
  name: "outcomes-reinforce",
  literature: {
    ...FEEDBACK_ROW,
    recipe: "REINFORCE on outcomes",
    difference: "Outcomes of declared metrics in place of a verifier, single rollouts.",
  },
  differs: ["one baseline for all visitors and metrics, which starts at 0.5"],
  mechanism: "whole",
  schedule: ["one"],
  settings: { attempts: 64, decay: 0.95, prior: 0.5, steps: 30, learningRate: 3e-3 },
  stages: (settings) => [
    feedbackReinforcement({ ...settings, reward: parts.feedback({ outcome: 1 }) }),
  ],
});

/**
 * REINFORCE on next messages with a moving baseline: the page notices whether a visitor thanks, corrects, contradicts or
 * repeats, or clicks "Try again".
 *
 * Sources: Williams 1992; the moving baseline of Liu et al. 2025, "SPIRAL", arXiv:2506.24119, with the decay of
 * prime-rl; the next message as a signal as in OpenClaw-RL, arXiv:2603.10165.
 * Differs from them: rules of the page read the message, not a judge; one baseline for all visitors, which starts at 0.5.
 * Why: no text of the visitor is needed, and most visitors come once.
 */
const messagesReinforce: CreateRecipe = recipe({
  name: "messages-reinforce",
  literature: {
    ...FEEDBACK_ROW,
    recipe: "REINFORCE on next messages",
    difference: "What the next message says in place of a verifier, single rollouts.",
  },
  differs: [
    "rules of the page read the message, not a judge",
    "one baseline for all visitors, which starts at 0.5",
  ],
  mechanism: "whole",
  schedule: ["one"],
  settings: { attempts: 64, decay: 0.95, prior: 0.5, steps: 30, learningRate: 3e-3 },
  stages: (settings) => [
    feedbackReinforcement({ ...settings, reward: parts.feedback({ message: 1 }) }),
  ],
});

/**
 * REINFORCE on thumbs, outcomes, next messages and undone actions with a moving baseline: the reward is the weighted mean of
 * the signals that are there.
 *
 * Sources: Williams 1992; the moving baseline of Liu et al. 2025, "SPIRAL", arXiv:2506.24119, with the decay of
 * prime-rl; metrics with a direction as in TensorZero.
 * Differs from them: a thumb is one more metric; one baseline for all visitors and signals, which starts at 0.5.
 * Why: a request with one of them alone teaches too, so more requests teach.
 */
const signalsReinforce: CreateRecipe = recipe({
  name: "signals-reinforce",
  literature: {
    ...FEEDBACK_ROW,
    recipe: "REINFORCE on thumbs, outcomes and next messages",
    difference:
      "Thumbs, outcomes of declared metrics and next messages in place of a verifier, single rollouts.",
  },
  differs: ["one baseline for all visitors and signals, which starts at 0.5"],
  mechanism: "whole",
  needs: ["opinions"],
  schedule: ["one"],
  settings: {
    attempts: 64,
    decay: 0.95,
    prior: 0.5,
    thumbWeight: 1,
    messageWeight: 0.5,
    undoWeight: 1,
    steps: 30,
    learningRate: 3e-3,
  },
  stages: ({ thumbWeight, messageWeight, undoWeight, ...settings }) => [
    feedbackReinforcement({
      ...settings,
      reward: parts.feedback({
        thumb: thumbWeight,
        outcome: 1,
        message: messageWeight,
        undo: undoWeight,
      }),
    }),
  ],
});

export const OUTCOME_RECIPES: readonly CreateRecipe[] = [
  outcomesReinforce,
  messagesReinforce,
  signalsReinforce,
];
