/**
 * `grounding`: claims earn a reward if an observation supports them and a penalty if none does. An invented
 * quotation earns less than a real one, and less than silence.
 *
 * Source: RLFH (fact-level verdicts as token rewards), arXiv:2406.12221; ReWatch-R1.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { resultsOf, wordsOf } from "./answer-match.ts";
import { rewardPart } from "./reward-part.ts";

/** A claim with its quote, found by a judge or a parser. */
export type Claim = {
  readonly quote: string;
  /** Sampled tokens `[start, end)` of the claim. */
  readonly start: number;
  readonly end: number;
};

/** Rewards of claims. */
export type GroundingPay = {
  /** For a supported claim. Default 1. */
  readonly supported?: number;
  /** For an unsupported claim. Default −1. */
  readonly unsupported?: number;
};

/** Whether an observation contains the quote, ignoring case and whitespace. */
export function isSupported(quote: string, observations: readonly string[]): boolean {
  const spelled = (text: string): string => text.toLowerCase().replace(/\s+/gu, " ").trim();
  const wanted = spelled(quote);
  return wanted !== "" && observations.some((observation) => spelled(observation).includes(wanted));
}

/** Mean reward of the claims; 0 without claims. */
export function groundingReward(
  claims: readonly Claim[],
  observations: readonly string[],
  { supported = 1, unsupported = -1 }: GroundingPay = {},
): number {
  if (claims.length === 0) return 0;
  const pay = claims.map(({ quote }) =>
    isSupported(quote, observations) ? supported : unsupported,
  );
  return pay.reduce((sum, value) => sum + value, 0) / claims.length;
}

/**
 * `grounding`: the final answer must be contained in an earlier tool result. The reward is on the turn of the
 * answer.
 */
export function groundedAnswer(supported?: number, unsupported?: number): RewardPart {
  return definePart(
    {
      groundedAnswerSupported: option(supported, 1),
      groundedAnswerUnsupported: option(unsupported, -1),
    },
    ({ groundedAnswerSupported: supported, groundedAnswerUnsupported: unsupported }) =>
      rewardPart("grounding", (trajectory) => {
        const quote = wordsOf(trajectory, "text").replace(/[.!]+$/u, "");
        const last = trajectory.turns.at(-1);
        // A truncated rollout has no answer, which costs nothing.
        const claims =
          quote === "" || last === undefined ? [] : [{ quote, start: last.start, end: last.end }];
        const reward = groundingReward(claims, resultsOf(trajectory), { supported, unsupported });
        const turnRewards = trajectory.turns.map((turn) => (turn === last ? reward : 0));
        return { total: reward, turnRewards };
      }),
  );
}
