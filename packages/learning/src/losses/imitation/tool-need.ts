/** Cross-entropy of successes: with tools if the task needs them, without if it does not. */
import type { LossPart, RewardedTrajectory } from "../../composition/part.ts";
import { NEED } from "../../filters/tool-benefit.ts";
import { lossPart } from "../loss-part.ts";
import { supervisedLoss } from "./supervised-loss.ts";

/**
 * `aux`: if a task needs tools, cross-entropy of the calls of successes; if not, cross-entropy of successes
 * without calls.
 */
export function auxiliaryToolNeed(): LossPart {
  return lossPart("aux", (minibatch) => {
    const lossMask = minibatch.lossMask.map((mask, row) => {
      const { trajectory, reward } = minibatch.trajectories[row] as RewardedTrajectory;
      const need = reward.components?.[NEED] ?? 0;
      const calls = trajectory.turns.some(({ toolCalls }) => toolCalls.length > 0);
      const isRight =
        trajectory.verification.success && (need > 0 ? calls : need < 0 ? !calls : false);
      const wanted = trajectory.turns.filter(
        (turn) => turn.sample === minibatch.samples[row] && (need < 0 || turn.toolCalls.length > 0),
      );
      return mask.map(
        (counts, t) => counts && isRight && wanted.some(({ start, end }) => t >= start && t < end),
      );
    });
    return supervisedLoss({ ...minibatch, weights: undefined, lossMask });
  });
}
