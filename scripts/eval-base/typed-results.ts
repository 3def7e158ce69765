/** Evaluates a model on the requests that people type, in the site of `apps/demo`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { calibrated, reliability } from "@waggle/evaluation";
import type { CalibrationMap, Reliability } from "@waggle/evaluation";
import { derivedSeed } from "@waggle/protocol";
import { judgeRequest } from "../../apps/demo/src/typed-requests/judged-request.ts";
import type { JudgedRequest } from "../../apps/demo/src/typed-requests/judged-request.ts";
import { playRequest } from "../../apps/demo/src/typed-requests/played-request.ts";
import { requestResults } from "../../apps/demo/src/typed-requests/request-results.ts";
import type { RequestResults } from "../../apps/demo/src/typed-requests/request-results.ts";
import { parseTypedRequests } from "../../apps/demo/src/typed-requests/typed-request.ts";
import { ROOT } from "../root.ts";
import type { EvaluatedModel, Evaluating } from "./evaluated-model.ts";

const FILE = join(ROOT, "apps/demo/src/typed-requests/typed-requests.fixture.json");

/** `calibration` is that of the mapped confidence, if there is a map. */
export type TypedResults = RequestResults & {
  /** The calibration without the map. */
  readonly rawCalibration: Reliability;
};

/** Evaluates all requests. */
export async function typedResults(
  model: EvaluatedModel,
  map: CalibrationMap | null,
  { onProgress, signal }: Evaluating,
): Promise<TypedResults> {
  const requests = parseTypedRequests(readFileSync(FILE, "utf8"));
  const judged: JudgedRequest[] = [];
  for (const [nth, request] of requests.entries()) {
    const player = { ...model, seed: derivedSeed(model.seed, nth) };
    judged.push(judgeRequest(request, await playRequest(player, request, signal)));
    onProgress(nth + 1, requests.length);
  }
  const results = requestResults(judged);
  const predictions = judged.map(({ confidence, isSolved: success }) => ({
    confidence: map === null ? confidence : calibrated(map, confidence),
    success,
  }));
  return { ...results, calibration: reliability(predictions), rawCalibration: results.calibration };
}
