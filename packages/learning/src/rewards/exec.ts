/**
 * `exec`: the share of calls that ran, for a rollout and for each of its turns.
 *
 * Source: SPA-RL (executability signal), QUASAR.
 */
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Share of calls that ran, in [0, 1]; 1 without calls. */
export function executionReward(turns: readonly TurnRecord[]): number {
  const results = turns.flatMap(({ toolResults }) => toolResults);
  if (results.length === 0) return 1;
  return results.filter(({ ok }) => ok).length / results.length;
}

/** Per turn: 1 if all its calls ran, else 0; 1 for a turn without calls and without a parse error. */
export function executableTurns(turns: readonly TurnRecord[]): number[] {
  return turns.map(({ toolResults, parseError }) =>
    parseError === null && toolResults.every(({ ok }) => ok) ? 1 : 0,
  );
}

/** `exec`: the share of calls that ran, also per turn. */
export function exec(): RewardPart {
  return rewardPart("exec", ({ turns }) => {
    const ran = executableTurns(turns);
    return {
      total: executionReward(turns),
      turnRewards: ran.map((value) => value / Math.max(1, ran.length)),
    };
  });
}
