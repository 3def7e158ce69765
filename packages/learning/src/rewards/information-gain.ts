/**
 * `info-gain`: a turn is paid by how much likelier it made the right answer. Paid as differences of log
 * probabilities, the turns sum to the difference between end and start.
 *
 * Source: DR-Venus (turn-level information gain); the difference of log p(answer | history) is our
 * reading. Differs from it: gains are in nats and may be cut to ±`most`.
 */
import { requireFiniteRewards } from "../statistics.ts";

/**
 * @param answerLogProbs - `[turns + 1]` log p(answer | history) before the first and after each turn,
 *   nats, by the policy or a frozen reader.
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
