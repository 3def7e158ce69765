/** Checks one outcome against the metrics that its site declares. */
import { Outcome, type SiteMetrics, WaggleError } from "@waggle/protocol";
import { describeIssues } from "../body.ts";

/** An outcome whose value fits its metric. */
export type CheckedOutcome = {
  readonly id: string;
  readonly trajectoryId: string;
  readonly metric: string;
  readonly type: "boolean" | "number";
  /** Of a boolean: 0 or 1. */
  readonly value: number;
  /** Milliseconds since 1970, at most `now`. */
  readonly occurredAt: number;
  /** From 1; 0: it is about no single turn. */
  readonly turn: number;
  /** Earlier requests of the conversation, newest first. */
  readonly conversation: readonly string[];
  /** Whether it is about the newest request of the trajectory's visitor. */
  readonly isOfVisitor: boolean;
};

/**
 * @throws WaggleError `SCHEMA_INVALID`; `INVALID_ARGUMENT` for a metric or value that the site does not declare, or for an
 *   outcome that does not fit the level of its metric
 */
export function checkOutcome(value: unknown, metrics: SiteMetrics, now: number): CheckedOutcome {
  const parsed = Outcome.safeParse(value);
  if (!parsed.success) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `this is not an outcome: ${describeIssues(parsed.error)} (see /openapi.json)`,
    );
  }
  const { id, trajectoryId, metric, at, turn = 0, conversation = [], joinBy } = parsed.data;
  const { type, value: number } = valueOf(parsed.data, metrics);
  // A visitor's clock may be fast. Such a time must not outweigh later values.
  const occurredAt = Math.min(Date.parse(at), now);
  const isOfVisitor = joinBy === "visitor";
  return {
    id,
    trajectoryId,
    metric,
    type,
    value: number,
    occurredAt,
    turn,
    conversation,
    isOfVisitor,
  };
}

type Metric = SiteMetrics[string];

/** @throws WaggleError `INVALID_ARGUMENT` */
function requireLevel(
  { turn, conversation, joinBy }: Outcome,
  { level = "trajectory" }: Metric,
): void {
  const namesParts = turn !== undefined || conversation !== undefined;
  if (joinBy === "visitor" && namesParts) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      "an outcome that is joined by visitor names no turn and no earlier requests; leave them out, or leave joinBy out",
    );
  }
  const mistake =
    level === "turn" && turn === undefined
      ? "is about one turn of a request; name the turn, from 1"
      : level !== "turn" && turn !== undefined
        ? "is not about a turn; leave turn out, or declare the metric with the level turn"
        : level !== "conversation" && conversation !== undefined
          ? "is not about a conversation; leave conversation out, or declare the metric with the level conversation"
          : null;
  if (mistake !== null) throw new WaggleError("INVALID_ARGUMENT", `this metric ${mistake}`);
}

function valueOf(outcome: Outcome, metrics: SiteMetrics): Pick<CheckedOutcome, "type" | "value"> {
  const { metric, value } = outcome;
  const declared = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
  if (declared === undefined) throw undeclared(metrics);
  requireLevel(outcome, declared);
  if (declared.type === "boolean") {
    if (typeof value === "boolean") return { type: "boolean", value: value ? 1 : 0 };
    throw new WaggleError("INVALID_ARGUMENT", "the value of this metric is true or false");
  }
  const [low, high] = declared.range;
  if (typeof value === "number" && value >= low && value <= high) return { type: "number", value };
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `the value of this metric is a number from ${low} to ${high}`,
  );
}

function undeclared(metrics: SiteMetrics): WaggleError {
  const names = Object.keys(metrics).join(", ");
  return new WaggleError(
    "INVALID_ARGUMENT",
    names === ""
      ? "this site declares no metrics; add metrics to waggle.config.ts or to the site's settings"
      : `this site declares no such metric; it has ${names}`,
  );
}
