/**
 * `grounding`: claims are paid where an observation supports them and cost where none does; an invented
 * quotation scores below a real one, and below silence.
 *
 * Source: RLFH (fact-level verdicts as token rewards), arXiv:2406.12221; ReWatch-R1.
 */
import { option, definePart } from "../composition/part-options.ts";
import type { RewardPart } from "../composition/part.ts";
import { resultsOf, wordsOf } from "./answer-match.ts";
import { rewardPart } from "./reward-part.ts";

/** A claim with the words it quotes; a judge or a parser made it. */
export type Claim = {
  readonly quote: string;
  /** Sampled tokens `[start, end)` that state it. */
  readonly start: number;
  readonly end: number;
};

export type GroundingPay = {
  /** Of a supported claim. Default 1. */
  readonly supported?: number;
  /** Of an unsupported one. Default −1. */
  readonly unsupported?: number;
};

/** Whether one observation holds the quote, but for case and space. */
export function isSupported(quote: string, observations: readonly string[]): boolean {
  const spelled = (text: string): string => text.toLowerCase().replace(/\s+/gu, " ").trim();
  const wanted = spelled(quote);
  return wanted !== "" && observations.some((observation) => spelled(observation).includes(wanted));
}

/** Mean pay of the claims; 0 for none. */
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
 * `grounding`: what is said at the end must stand in something that a tool had said; the pay falls on
 * the turn that says it.
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
        // A rollout that was cut says nothing, and silence costs nothing.
        const claims =
          quote === "" || last === undefined ? [] : [{ quote, start: last.start, end: last.end }];
        const reward = groundingReward(claims, resultsOf(trajectory), { supported, unsupported });
        const turnRewards = trajectory.turns.map((turn) => (turn === last ? reward : 0));
        return { total: reward, turnRewards };
      }),
  );
}
