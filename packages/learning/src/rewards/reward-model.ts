/**
 * `rm`: the scores of an ensemble of learned reward models, refused where its members disagree too
 * much: a run stops paying for what nobody knows.
 *
 * Source: AgentRM, RoboFuME, PRFT (predicted rewards); the bound on disagreement is our choice.
 */
import { WaggleError } from "@waggle/protocol";
import { deviationOf, meanOf, requireFiniteRewards, requireInside } from "../statistics.ts";

/**
 * Mean of the members' scores.
 *
 * @param scores - one a member.
 * @param mostDeviation - population deviation above which nobody is believed, in reward units.
 * @throws WaggleError `REWARD_UNAVAILABLE`, not retryable: the same input disagrees again.
 */
export function ensembleReward(scores: readonly number[], mostDeviation: number): number {
  requireInside("number of members", scores.length, 1, Number.MAX_SAFE_INTEGER);
  requireFiniteRewards(scores);
  const deviation = deviationOf(scores, "population");
  if (deviation > mostDeviation) {
    throw new WaggleError(
      "REWARD_UNAVAILABLE",
      `members of a reward model must agree within ${mostDeviation}, got a deviation of ${deviation}; drop the episode or train the model on such ones`,
    );
  }
  return meanOf(scores);
}
