/** Rates over judged requests, in all and by feature, with the calibration of the policy's confidence. */
import { reliability, successRate } from "@waggle/evaluation";
import type { Reliability, SuccessRate } from "@waggle/evaluation";
import type { JudgedRequest } from "./judged-request.ts";
import { wantsNoAction } from "./judged-request.ts";

/** A rate with its 95 % Wilson interval; `null` if no request counts for it. */
type Rate = SuccessRate | null;

/** The results of a policy. */
export type RequestResults = {
  readonly requests: number;
  readonly solved: Rate;
  readonly actedUnasked: Rate;
  readonly brokenMarkup: Rate;
  /** Of the requests out of scope: said no, and the cart is as expected. */
  readonly refusalsRight: Rate;
  /** Of the requests that can be fulfilled: said no. */
  readonly refusedNeedlessly: Rate;
  /** Of the requests that must be asked back: asked, with an unchanged cart. */
  readonly askedRightly: Rate;
  /** Of the other requests: asked. */
  readonly askedNeedlessly: Rate;
  readonly byFeature: {
    readonly [feature: string]: { readonly solved: Rate; readonly actedUnasked: Rate };
  };
  /** Confidence against `solved`. */
  readonly calibration: Reliability;
};

/** Which requests have a feature of the report. A request can have several. */
const FEATURES: { readonly [feature: string]: (judged: JudgedRequest) => boolean } = {
  "no action": (one) =>
    has(one, "question") && !has(one, "out-of-scope") && wantsNoAction(one.request),
  "out of scope": (one) => has(one, "out-of-scope"),
  "typing errors": (one) => has(one, "typo"),
  negation: (one) => has(one, "negation") || has(one, "correction"),
  "several wishes": (one) => has(one, "several"),
  "several turns": ({ request }) => request.turns.length > 1,
};

/**
 * Summarizes judgments.
 * @throws WaggleError `INVALID_ARGUMENT` without judgments.
 */
export function requestResults(judged: readonly JudgedRequest[]): RequestResults {
  const outOfScope = judged.filter((one) => has(one, "out-of-scope"));
  const mustAsk = judged.filter(({ request }) => request.expect.asks === true);
  const others = judged.filter(({ request }) => request.expect.asks !== true);
  const fulfillable = judged.filter(({ request }) => request.expect.refusal !== true);
  return {
    requests: judged.length,
    ...actionRates(judged),
    brokenMarkup: rate(judged, ({ hasBrokenMarkup }) => hasBrokenMarkup),
    refusalsRight: rate(outOfScope, ({ hasRefused, isCartRight }) => hasRefused && isCartRight),
    refusedNeedlessly: rate(fulfillable, ({ hasRefused }) => hasRefused),
    askedRightly: rate(mustAsk, ({ hasAsked, isCartRight }) => hasAsked && isCartRight),
    askedNeedlessly: rate(others, ({ hasAsked }) => hasAsked),
    byFeature: Object.fromEntries(
      Object.entries(FEATURES).map(([name, isIn]) => [name, actionRates(judged.filter(isIn))]),
    ),
    calibration: reliability(
      judged.map(({ confidence, isSolved: success }) => ({ confidence, success })),
    ),
  };
}

function actionRates(judged: readonly JudgedRequest[]): { solved: Rate; actedUnasked: Rate } {
  return {
    solved: rate(judged, ({ isSolved }) => isSolved),
    actedUnasked: rate(judged, ({ hasActedUnasked }) => hasActedUnasked),
  };
}

function rate(judged: readonly JudgedRequest[], isCounted: (one: JudgedRequest) => boolean): Rate {
  return judged.length === 0 ? null : successRate(judged.map(isCounted));
}

function has({ request }: JudgedRequest, feature: string): boolean {
  return request.features.includes(feature);
}
