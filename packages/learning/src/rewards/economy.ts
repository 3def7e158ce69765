/**
 * `economy`: the cost of a trajectory in tools, turns, tokens, time or mode, and four ways to make a policy
 * economical. `decoupled` and `paired` are not rewards: the first is a channel of the advantage among correct
 * rollouts, the second labels tasks by rollouts with and without tools.
 *
 * Source: A2FM, AI-SearchPlanner (scalar); IndusAgent, DeepSport (gated); HDPO (decoupled, our formula); AKBE
 * (paired).
 */
import { WaggleError } from "@waggle/protocol";
import { sampledTokens, toolCalls } from "../composition/judged-trajectory.ts";
import { fixed, fixedAll, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { rewardPart } from "./reward-part.ts";

/** Counts of resources; all ≥ 0. */
export type Usage = {
  readonly toolCalls?: number;
  readonly turns?: number;
  readonly sampledTokens?: number;
  readonly seconds?: number;
  /** Calls by tool, if tools have different prices. */
  readonly byTool?: { readonly [tool: string]: number };
};

/** Price per unit of each resource, in reward units; absent = free. */
export type Prices = {
  readonly toolCall?: number;
  readonly turn?: number;
  readonly sampledToken?: number;
  readonly second?: number;
  readonly byTool?: { readonly [tool: string]: number };
};

/** How cost enters the reward. */
export type EconomySwitch =
  /** outcome − cost; also rewards doing nothing. */
  | { readonly kind: "scalar" }
  /** outcome + max(0, allowance − cost) if the outcome is a success. */
  | { readonly kind: "gated"; readonly allowance: number }
  /** Only the outcome; the cost becomes a channel of `splitAdvantages`. */
  | { readonly kind: "decoupled" }
  /** Only the outcome; `toolBenefit` labels the task. */
  | { readonly kind: "paired" };

/** Cost of this usage. @throws WaggleError `INVALID_ARGUMENT` for a negative count. */
export function usageCost(usage: Usage, prices: Prices): number {
  const counts = [usage.toolCalls, usage.turns, usage.sampledTokens, usage.seconds].map(
    (c) => c ?? 0,
  );
  const units = [prices.toolCall, prices.turn, prices.sampledToken, prices.second];
  const byTool = Object.entries(usage.byTool ?? {});
  const negative = [...counts, ...byTool.map(([, count]) => count)].find((count) => !(count >= 0));
  if (negative !== undefined) {
    throw new WaggleError("INVALID_ARGUMENT", `usage counts must be at least 0, got ${negative}`);
  }
  const plain = counts.reduce((sum, count, i) => sum + count * (units[i] ?? 0), 0);
  return byTool.reduce((sum, [tool, count]) => sum + count * (prices.byTool?.[tool] ?? 0), plain);
}

/** The reward for this switch. */
export function economyReward(
  outcome: { readonly reward: number; readonly success: boolean },
  cost: number,
  how: EconomySwitch,
): number {
  switch (how.kind) {
    case "scalar":
      return outcome.reward - cost;
    case "gated":
      return outcome.reward + (outcome.success ? Math.max(0, how.allowance - cost) : 0);
    case "decoupled":
    case "paired":
      return outcome.reward;
  }
}

/** `economy`: the outcome, adjusted for the cost of calls, turns and tokens. */
export function economy(prices: Prices, how: EconomySwitch = { kind: "scalar" }): RewardPart {
  const { byTool = {}, ...plain } = prices;
  return definePart({ ...fixedAll(plain), ...fixedAll(byTool), how: fixed(how.kind) }, () =>
    rewardPart("economy", (trajectory) => {
      const cost = usageCost(
        {
          toolCalls: toolCalls(trajectory),
          turns: trajectory.turns.length,
          sampledTokens: sampledTokens(trajectory),
        },
        prices,
      );
      return {
        total: economyReward(trajectory.verification, cost, how),
        components: { outcome: trajectory.verification.reward, cost },
      };
    }),
  );
}
