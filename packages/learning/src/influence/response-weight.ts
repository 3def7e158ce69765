/**
 * Inverse propensity weights of requests with feedback: a kind of request that seldom gets feedback weighs more, so that the
 * mean over requests with feedback is close to that over all requests. The chance of feedback is estimated from counts of
 * requests alike, in what was known before the answer. It corrects nothing where people give feedback because of the answer.
 *
 * Source: Horvitz and Thompson 1952; stabilized weights as in Robins, Hernán and Brumback 2000, "Marginal Structural Models
 * and Causal Inference in Epidemiology".
 */
import type { LeasedTrajectory } from "@waggle/protocol";

/** Requests alike and those of them with feedback, beside all requests of the site. */
type ResponseCounts = NonNullable<LeasedTrajectory["response"]>;

/** Requests with the site's mean chance that are added to those alike. A rare kind has a weight near 1. */
const PRIOR_REQUESTS = 20;
/** Largest weight; its inverse is the smallest. */
const MOST = 4;

/** Mean chance of feedback over the chance of requests alike, in [1 / 4, 4]; 1 if no request has feedback. */
export function responseWeight(counts: ResponseCounts): number {
  const { requests, answered, allRequests, allAnswered } = counts;
  if (allAnswered === 0 || allRequests === 0) return 1;
  const mean = allAnswered / allRequests;
  const chance = (answered + PRIOR_REQUESTS * mean) / (requests + PRIOR_REQUESTS);
  return Math.min(MOST, Math.max(1 / MOST, mean / chance));
}
