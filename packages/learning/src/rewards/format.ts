/**
 * `format`: parsing and protocol. Not `exec`: a call may be well-formed and fail.
 */
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Share of turns that parsed, in [0, 1]; 1 without turns. */
export function formatReward(turns: readonly TurnRecord[]): number {
  if (turns.length === 0) return 1;
  return turns.filter(({ parseError }) => parseError === null).length / turns.length;
}

/** `format`: the share of turns that parsed. */
export function format(): RewardPart {
  return rewardPart("format", ({ turns }) => ({ total: formatReward(turns) }));
}
