/** `info-gain`: a turn is paid for how much likelier it made the right answer. */
import { WaggleError } from "@waggle/protocol";
import type { RewardPart } from "../composition/part.ts";
import { informationGains } from "../rewards/information-gain.ts";

/**
 * @param weight of a nat beside the outcome, which is paid on the last turn.
 * @param most cut of one turn's gain, in nats.
 */
export function informationGain(weight = 0.1, most = 2): RewardPart {
  return {
    slot: "reward",
    part: "info-gain",
    needs: [],
    score: async ({ trajectories }, { ports: { answerLogProbs } }) => {
      if (answerLogProbs === undefined) {
        throw new WaggleError(
          "CAPABILITY_MISSING",
          "reward info-gain needs the policy's log-probs of answers, got none; give them to the run or choose another recipe",
        );
      }
      return Promise.all(
        trajectories.map(async (trajectory) => {
          const { reward } = trajectory.verification;
          if (trajectory.turns.length === 0) return { reward };
          const gains = informationGains(await answerLogProbs(trajectory), most);
          const turnRewards = gains.map((gain) => weight * gain);
          const gained = turnRewards.reduce((sum, gain) => sum + gain, 0);
          turnRewards[turnRewards.length - 1] = (turnRewards.at(-1) ?? 0) + reward;
          return { reward: reward + gained, turnRewards, components: { gained } };
        }),
      );
    },
  };
}
