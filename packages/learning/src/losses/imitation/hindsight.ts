/**
 * Outcome-conditioned imitation (`cond`): a sentence on the outcome precedes each trajectory, and all
 * trajectories are imitated with equal weight. When the policy is asked for the best outcome, it repeats the
 * actions that led to it.
 *
 * Source: Chen et al. 2021, "Decision Transformer", arXiv:2106.01345; Zhang et al. 2023, "The Wisdom of Hindsight",
 * arXiv:2302.05206, for sentences in place of return tokens.
 * Differs from it: the return is stated once, before the first turn, and is not reduced by later rewards.
 */
import { option, definePart } from "../../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { LossPart, RewardedTrajectory } from "../../composition/part.ts";
import { lossPart } from "../loss-part.ts";
import { supervisedLoss } from "./supervised-loss.ts";

/** A sentence that states the return, rounded to one of `levels` levels from 0 to 1. */
function returnSentence(total: number, levels: number): string {
  if (!Number.isFinite(total)) {
    throw new WaggleError(
      "NON_FINITE_REWARD",
      `a return must be finite, got ${total}; leave out trajectories without a reward`,
    );
  }
  const level = Math.round(Math.min(1, Math.max(0, total)) * (levels - 1));
  return `Return ${level} of ${levels - 1}.`;
}

/** `cond`: cross-entropy, each trajectory preceded by its return. New rollouts are asked for the highest. */
export function returnConditioned(levels?: number): LossPart {
  return definePart({ returnLevels: option(levels, 4) }, ({ returnLevels }) => {
    if (!Number.isInteger(returnLevels) || returnLevels < 2) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `returnLevels must be an integer of at least 2, got ${returnLevels}`,
      );
    }
    return conditioned((run) => returnSentence(run?.reward.total ?? 1, returnLevels));
  });
}

/** `cond`: cross-entropy, each trajectory preceded by feedback on it. New rollouts get positive feedback. */
export function feedbackConditioned(): LossPart {
  return conditioned((run) => {
    if (run === null || run.trajectory.verification.success) return "Feedback: all right.";
    const failed = run.trajectory.turns
      .flatMap(({ toolResults }) => toolResults)
      .filter(({ ok }) => !ok).length;
    return failed === 0
      ? "Feedback: wrong result."
      : `Feedback: wrong result, ${failed} failed calls.`;
  });
}

function conditioned(condition: (run: RewardedTrajectory | null) => string): LossPart {
  return { ...lossPart("cond", (minibatch) => supervisedLoss(minibatch, minibatch)), condition };
}
