/** What asking before unsure calls changes: requests solved, carts changed unasked, and questions, by threshold. */
import { isUnsure } from "@waggle/evaluation";
import { judgeRequest } from "./judged-request.ts";
import type { JudgedRequest } from "./judged-request.ts";
import type { Asking, ChangingCall, PlayedRequest } from "./played-request.ts";
import { requestResults } from "./request-results.ts";
import type { RequestResults } from "./request-results.ts";
import type { TypedRequest } from "./typed-request.ts";

/** The results at one threshold. A call that the person refuses does not run, so it changes no cart. */
type AskedResults = Pick<RequestResults, "solved" | "actedUnasked"> & {
  readonly threshold: number;
  /** Calls that change the cart, also refused ones. */
  readonly changingCalls: number;
  /** Questions about calls that the request does not want. The person said no. */
  readonly rightQuestions: number;
  /** Questions about calls that the request wants. The person said yes. */
  readonly needlessQuestions: number;
};

/** With and without asking. */
export type AskingResults = {
  /** Without asking: the threshold is 0. */
  readonly without: AskedResults;
  readonly with: AskedResults;
  /** In rising order of thresholds. */
  readonly sweep: readonly AskedResults[];
};

/** Thresholds of the sweep. */
const THRESHOLDS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/** A request with what happened at a threshold. */
type Outcome = { readonly judged: JudgedRequest; readonly calls: readonly ChangingCall[] };

/** The results of requests at some thresholds. */
export type ThresholdSweep = {
  /**
   * Plays a request at every threshold. Playing must be deterministic.
   * @param unasked - what happens at threshold 0.
   */
  readonly add: (
    request: TypedRequest,
    unasked: PlayedRequest,
    play: (asking: Pick<Asking, "threshold">) => Promise<PlayedRequest>,
  ) => Promise<void>;
  /** @throws WaggleError `INVALID_ARGUMENT` without requests. */
  readonly results: () => AskingResults;
};

/** @param threshold - that of the results with asking. */
export function createThresholdSweep(threshold: number): ThresholdSweep {
  const thresholds = [...new Set([0, ...THRESHOLDS, threshold])].sort((a, b) => a - b);
  const outcomes = new Map<number, Outcome[]>(thresholds.map((one) => [one, []]));
  const resultsAt = (one: number): AskedResults => askedResults(one, outcomes.get(one) ?? []);
  return {
    async add(request, unasked, play) {
      let last = unasked;
      for (const [one, list] of outcomes) {
        if (last.changingCalls.some((call) => isNewlyRefused(call, one))) {
          last = await play({ threshold: one });
        }
        list.push({ judged: judgeRequest(request, last), calls: last.changingCalls });
      }
    },
    results: () => ({
      without: resultsAt(0),
      with: resultsAt(threshold),
      sweep: THRESHOLDS.map(resultsAt),
    }),
  };
}

/** Up to such a call, a request runs at the higher threshold as it did: a yes changes nothing. */
function isNewlyRefused({ probability, wasAsked, isWanted }: ChangingCall, threshold: number) {
  return !wasAsked && !isWanted && isUnsure(probability, threshold);
}

function askedResults(threshold: number, outcomes: readonly Outcome[]): AskedResults {
  const { solved, actedUnasked } = requestResults(outcomes.map(({ judged }) => judged));
  const calls = outcomes.flatMap((one) => one.calls);
  const asked = calls.filter(({ probability }) => isUnsure(probability, threshold));
  return {
    threshold,
    solved,
    actedUnasked,
    changingCalls: calls.length,
    rightQuestions: asked.filter(({ isWanted }) => !isWanted).length,
    needlessQuestions: asked.filter(({ isWanted }) => isWanted).length,
  };
}
