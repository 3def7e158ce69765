/**
 * `info-gain`: rewards a turn for how much it raised the log-probability of the right answer. The gains of
 * the turns sum to the difference between end and start.
 *
 * Source: DR-Venus (turn-level information gain); the difference of log p(answer | history) is our reading.
 * Differs from it: gains are in nats and may be cut to ±`most`.
 */
import { option, definePart } from "../composition/part-options.ts";
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { requireFiniteRewards } from "../statistics.ts";

/**
 * `[turns]` gains.
 *
 * @param answerLogProbs - `[turns + 1]` log p(answer | history) before the first and after each turn, nats,
 *   by the policy or a frozen reader.
 * @param most - cut of one turn's gain, nats. Default none.
 */
export function informationGains(
  answerLogProbs: readonly number[],
  most: number = Number.POSITIVE_INFINITY,
): number[] {
  requireFiniteRewards(answerLogProbs);
  return answerLogProbs
    .slice(1)
    .map((after, t) => Math.max(-most, Math.min(most, after - answerLogProbs[t]!)));
}

/**
 * `info-gain` plus the outcome, which is on the last turn.
 *
 * @param weight - reward per nat.
 * @param most - cut of one turn's gain, in nats.
 */
export function informationGain(weight?: number, most?: number): RewardPart {
  return definePart(
    { informationGainWeight: option(weight, 0.1), informationGainMost: option(most, 2) },
    ({ informationGainWeight: weight, informationGainMost: most }) => ({
      slot: "reward",
      part: "info-gain",
      needs: [],
      rewards: async ({ trajectories }, { ports: { answerLogProbs } }) => {
        if (answerLogProbs === undefined) {
          throw new WaggleError(
            "CAPABILITY_MISSING",
            "reward info-gain needs log-probs of answers; provide them or choose another recipe",
          );
        }
        return Promise.all(
          trajectories.map(async (trajectory) => {
            const { reward } = trajectory.verification;
            if (trajectory.turns.length === 0) return { total: reward };
            const gains = informationGains(await answerLogProbs(trajectory), most);
            const turnRewards = gains.map((gain) => weight * gain);
            const gained = turnRewards.reduce((sum, gain) => sum + gain, 0);
            turnRewards[turnRewards.length - 1] = (turnRewards.at(-1) ?? 0) + reward;
            return { total: reward + gained, turnRewards, components: { gained } };
          }),
        );
      },
    }),
  );
}
