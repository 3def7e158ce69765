/** Evaluates a model on the requests that people type, in the site of `apps/demo`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { calibrated, reliability } from "@waggle/evaluation";
import type { Reliability, StoredCalibration } from "@waggle/evaluation";
import { derivedSeed } from "@waggle/protocol";
import { createThresholdSweep } from "../src/typed-requests/asking-results.ts";
import type { AskingResults } from "../src/typed-requests/asking-results.ts";
import { judgeRequest } from "../src/typed-requests/judged-request.ts";
import type { JudgedRequest } from "../src/typed-requests/judged-request.ts";
import { playRequest } from "../src/typed-requests/played-request.ts";
import type { Asking } from "../src/typed-requests/played-request.ts";
import { requestResults } from "../src/typed-requests/request-results.ts";
import type { RequestResults } from "../src/typed-requests/request-results.ts";
import { parseTypedRequests } from "../src/typed-requests/typed-request.ts";
import type { EvaluatedModel, Evaluating } from "./evaluated-model.ts";

const FILE = join(import.meta.dirname, "../src/typed-requests/typed-requests.fixture.json");

/** `calibration` is that of the mapped confidence, if there is a map. */
export type TypedResults = RequestResults & {
  /** The calibration without the map. */
  readonly rawCalibration: Reliability;
  /** What asking before unsure calls changes; `null` = not evaluated. */
  readonly asking: AskingResults | null;
};

/** Evaluates all requests. @param confirmBelow - absent = nothing is asked. */
export async function typedResults(
  model: EvaluatedModel,
  stored: StoredCalibration | null,
  confirmBelow: number | undefined,
  { onProgress, signal }: Evaluating,
): Promise<TypedResults> {
  const requests = parseTypedRequests(readFileSync(FILE, "utf8"));
  const judged: JudgedRequest[] = [];
  const calls = stored?.calls ?? null;
  const sweep =
    calls === null || confirmBelow === undefined ? null : createThresholdSweep(confirmBelow);
  for (const [nth, request] of requests.entries()) {
    const player = { ...model, seed: derivedSeed(model.seed, nth) };
    const play = ({ threshold }: Pick<Asking, "threshold">) =>
      playRequest(
        player,
        request,
        signal,
        calls === null
          ? undefined
          : { probabilityOf: (confidence) => calibrated(calls, confidence), threshold },
      );
    const unasked = await play({ threshold: 0 });
    judged.push(judgeRequest(request, unasked));
    await sweep?.add(request, unasked, play);
    onProgress(nth + 1, requests.length);
  }
  const results = requestResults(judged);
  const predictions = judged.map(({ confidence, isSolved: success }) => ({
    confidence: stored === null ? confidence : calibrated(stored.map, confidence),
    success,
  }));
  return {
    ...results,
    calibration: reliability(predictions),
    rawCalibration: results.calibration,
    asking: sweep?.results() ?? null,
  };
}
