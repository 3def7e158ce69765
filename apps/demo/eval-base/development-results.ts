/**
 * Evaluates a model on the development requests, and shows what failed. Data may follow these requests, so their rate is no
 * evidence of how well a model understands people; the typed requests are.
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

const FILE = join(import.meta.dirname, "../src/typed-requests/development-requests.fixture.json");

/** A request that was not solved, with what happened. */
type FailedRequest = Pick<TypedRequest, "id" | "turns" | "expect"> & {
  /** The cart at the end. */
  readonly cart: readonly { readonly id: string; readonly quantity: number }[];
  readonly answers: readonly (string | null)[];
};

export type DevelopmentResults = RequestResults & { readonly failures: readonly FailedRequest[] };

/** Plays all requests; nothing is asked. */
export async function developmentResults(
  model: EvaluatedModel,
  { onProgress, signal }: Evaluating,
): Promise<DevelopmentResults> {
  const requests = parseTypedRequests(readFileSync(FILE, "utf8"));
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
