/** Feedback and outcomes: small records about a trajectory, which the outbox keeps and sends in the same way. */
import type { Feedback, Outcome } from "@waggle/protocol";
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
