/**
 * Evaluates a model on requests beside the typed ones, which stay the measure. Data may follow the development requests, so their
 * failures are shown, and their rate is no evidence of how well a model understands people. The validation requests were written
 * with most of them, and only their rates are shown: they say which of several models is better.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { derivedSeed } from "@waggle/protocol";
import { judgeRequest } from "../src/typed-requests/judged-request.ts";
import { playRequest } from "../src/typed-requests/played-request.ts";
import { requestResults } from "../src/typed-requests/request-results.ts";
import type { RequestResults } from "../src/typed-requests/request-results.ts";
import { parseTypedRequests } from "../src/typed-requests/typed-request.ts";
import type { TypedRequest } from "../src/typed-requests/typed-request.ts";
import type { EvaluatedModel, Evaluating } from "./evaluated-model.ts";

const FOLDER = join(import.meta.dirname, "../src/typed-requests");

/** A request that was not solved, with what happened. */
type FailedRequest = Pick<TypedRequest, "id" | "turns" | "expect"> & {
  /** The cart at the end. */
  readonly cart: readonly { readonly id: string; readonly quantity: number }[];
  readonly answers: readonly (string | null)[];
};

export type DevelopmentResults = RequestResults & { readonly failures: readonly FailedRequest[] };

/** Plays the development requests; nothing is asked. */
export function developmentResults(
  model: EvaluatedModel,
  evaluating: Evaluating,
): Promise<DevelopmentResults> {
  return played("development-requests.fixture.json", model, evaluating);
}

/** Plays the validation requests; nothing is asked. */
export async function validationResults(
  model: EvaluatedModel,
  evaluating: Evaluating,
): Promise<RequestResults> {
  const { failures: _, ...results } = await played(
    "validation-requests.fixture.json",
    model,
    evaluating,
  );
  return results;
}

async function played(
  file: string,
  model: EvaluatedModel,
  { onProgress, signal }: Evaluating,
): Promise<DevelopmentResults> {
  const requests = parseTypedRequests(readFileSync(join(FOLDER, file), "utf8"));
  const judged = [];
  const failures: FailedRequest[] = [];
  for (const [nth, request] of requests.entries()) {
    const player = { ...model, seed: derivedSeed(model.seed, nth) };
    const played = await playRequest(player, request, signal);
    const judgment = judgeRequest(request, played);
    judged.push(judgment);
    if (!judgment.isSolved) {
      const { id, turns, expect } = request;
      failures.push({ id, turns, expect, cart: played.cart, answers: played.answers });
    }
    onProgress(nth + 1, requests.length);
  }
  return { ...requestResults(judged), failures };
}
