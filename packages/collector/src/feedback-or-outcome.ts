/** Feedback and outcomes: small records about a trajectory, which the outbox keeps and sends in the same way. */
import type { Feedback, Outcome } from "@waggle/protocol";
import { parseJson } from "./consent-store.ts";
import { failureOf } from "./edge-session.ts";
import { readPageData } from "./page-data.ts";

/** A record about a trajectory. */
export type FeedbackOrOutcome = Feedback | Outcome;

/** Whether a value is one of them, with valid members. */
export function isFeedbackOrOutcome(value: unknown): value is FeedbackOrOutcome {
  if (readPageData("Feedback", value) !== null) return true;
  const outcome = readPageData("Outcome", value);
  // JSON has no other numbers than finite ones, and the schema does not say so.
  return outcome !== null && (typeof outcome.value === "boolean" || Number.isFinite(outcome.value));
}

/** Path of the edge that takes it. */
export function pathOf(record: FeedbackOrOutcome): "/v1/feedback" | "/v1/visitor/outcomes" {
  return "metric" in record ? "/v1/visitor/outcomes" : "/v1/feedback";
}

/** Says why the edge did not take a record. It is not sent again. */
export async function logRefusal(
  response: Response,
  log: (message: string) => void,
): Promise<void> {
  if (response.ok) return;
  const body = parseJson(await response.text().catch(() => null));
  const { code, message } = failureOf(response.status, body);
  log(`Waggle: the edge refused feedback or an outcome, which is dropped. ${code}: ${message}`);
}
