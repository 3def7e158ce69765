/**
 * Decides what to do with a candidate that serves a share of the visitors: raise its share, promote it, roll
 * it back or go on. A pure function of the counts of both arms: equal counts give equal decisions. It neither
 * counts nor changes what is served; the edge does both.
 *
 * A metric that is worse at the error rate of `falseRollback` rolls the candidate back. The rate is divided
 * among the metrics, so it bounds the chance for all together, and the test may be repeated after every request.
 * A metric that only looks worse, by an ordinary test at 5 %, holds the share and the promotion until it no
 * longer does. That test has no bound when it is repeated, and it can only delay.
 *
 * Up to a share of 10 %, requests alone raise the share. Beyond it, the primary metric needs values of enough visitors. A
 * candidate that has none after the horizon is rolled back: nothing is known about it, and the release would not end.
 */
import { WaggleError } from "@waggle/protocol";
import { armDifference, type ArmDifference, type StageSums } from "./arm-difference.ts";
import { normalQuantile } from "./normal-quantile.ts";
import {
  type ReleaseMetric,
  type ReleasePlan,
  requirePlan,
  sizeAfterExposure,
  sizeAtHorizon,
} from "./release-plan.ts";
import { type BoundaryOptions, confidenceLimits } from "./sequential-boundary.ts";

/** What has been counted since the share last changed. */
export type ReleaseStage = {
  /** One of the plan's shares. */
  readonly share: number;
  /** Requests that the candidate served. */
  readonly exposure: number;
  /** Sums by metric. Visitors count in the stage and the arm of their first request. */
  readonly metrics: Readonly<Record<string, StageSums>>;
};

/** What the rule decides from. */
export type ReleaseCounts = {
  /** Requests of both arms since the release began. */
  readonly requests: number;
  /** In order; the last is going on. */
  readonly stages: readonly ReleaseStage[];
};

/** What to do now, and a sentence that says why. */
export type ReleaseDecision =
  | { readonly action: "go on"; readonly reason: string }
  | { readonly action: "set share"; readonly share: number; readonly reason: string }
  | {
      readonly action: "promote";
      readonly because: "better" | "no worse";
      readonly reason: string;
    }
  | { readonly action: "roll back"; readonly metric: string; readonly reason: string };

/** Part of the error rate that the primary metric keeps if there are guardrails. They share the rest. */
const PRIMARY_PART = 0.8;

/** The size at the horizon is a little above the planned one in half of the releases. The line must reach it. */
const ROOM = 1.1;

/** Share of visitors beyond which the primary metric needs a result. */
const MOST_WITHOUT_VALUES = 0.1;

/** A difference below this many standard errors looks worse: a one-sided test at 5 %. */
const LOOKS_WORSE = -normalQuantile(0.05);

/** A metric with the boundary beyond which it counts as worse. */
type GuardedMetric = { readonly metric: ReleaseMetric; readonly boundary: BoundaryOptions };

/**
 * The rule of a plan: counts in, a decision out.
 *
 * @returns a pure function that throws WaggleError `INVALID_ARGUMENT` for counts that contradict each other, or for a
 *   share that the plan does not have.
 * @throws WaggleError `INVALID_ARGUMENT` for a plan that cannot be followed.
 */
export function releaseRule(plan: ReleasePlan): (counts: ReleaseCounts) => ReleaseDecision {
  requirePlan(plan);
  const metrics = guardedMetrics(plan);
  const promotionBoundary = {
    falseAlarm: plan.falsePromotion,
    planned: plannedSize(plan.primary, ROOM * sizeAtHorizon(plan)),
  };

  return (counts) => {
    const { served, needed, next } = currentStage(counts, plan);
    const found = metrics.map(({ metric, boundary }) => ({
      metric,
      boundary,
      result: differenceOf(counts, metric, plan),
    }));

    const worse = found.find(({ result, metric, boundary }) => isWorse(result, metric, boundary));
    if (worse?.result) {
      const { difference, error } = worse.result;
      const reason = `${worse.metric.name} is lower by ${(-difference).toFixed(3)} ± ${error.toFixed(3)}`;
      return { action: "roll back", metric: worse.metric.name, reason };
    }
    const primary = found[0]?.result ?? null;
    const few = `too few visitors have values of ${plan.primary.name}`;
    if (primary === null && counts.requests >= plan.horizon) {
      return {
        action: "roll back",
        metric: plan.primary.name,
        reason: `after the horizon, ${few}`,
      };
    }
    if (served < needed) {
      return { action: "go on", reason: `the stage has ${served} of ${needed} requests` };
    }
    const suspect = found.find(({ metric, result }) => looksWorse(result, metric));
    if (suspect !== undefined) {
      const reason = `${suspect.metric.name} looks worse, without certainty yet`;
      return { action: "go on", reason };
    }
    if (next !== undefined && (primary !== null || next <= MOST_WITHOUT_VALUES)) {
      return { action: "set share", share: next, reason: "no metric looks worse" };
    }
    if (primary === null) return { action: "go on", reason: few };
    return promotion(counts, primary, plan, promotionBoundary);
  };
}

/** How the candidate differs from the stable version in one metric. */
type MetricDifference = {
  /** Mean of the candidate minus mean of the stable version. */
  readonly mean: number;
  /** Limits of the true difference. A `high` below 0 rolls the candidate back, unless the metric has a tolerance. */
  readonly low: number;
  readonly high: number;
};

/**
 * The differences that the rule of a plan decides from.
 *
 * @returns one for each metric, the primary first; `null` while too few visitors have values of it.
 * @throws WaggleError `INVALID_ARGUMENT` as `releaseRule`.
 */
export function metricDifferences(
  plan: ReleasePlan,
  counts: ReleaseCounts,
): readonly (MetricDifference | null)[] {
  requirePlan(plan);
  return guardedMetrics(plan).map(({ metric, boundary }) => {
    const result = differenceOf(counts, metric, plan);
    return result && { mean: result.difference, ...confidenceLimits(result, boundary) };
  });
}

/** The primary metric first. The metrics share the error rate. */
function guardedMetrics(plan: ReleasePlan): GuardedMetric[] {
  const { primary, guardrails, falseRollback, exposure } = plan;
  const size = sizeAfterExposure(plan, exposure);
  const own = guardrails.length === 0 ? 1 : PRIMARY_PART;
  const other = (1 - PRIMARY_PART) / guardrails.length;
  return [primary, ...guardrails].map((metric, i) => ({
    metric,
    boundary: {
      falseAlarm: falseRollback * (i === 0 ? own : other),
      planned: plannedSize(metric, size),
    },
  }));
}

function plannedSize({ responseRate = 1 }: ReleaseMetric, size: number): number {
  return Math.max(1, responseRate * size);
}

function currentStage(
  { requests, stages }: ReleaseCounts,
  plan: ReleasePlan,
): { served: number; needed: number; next: number | undefined } {
  const stage = stages.at(-1);
  const index = plan.stages.findIndex(({ share }) => share === stage?.share);
  const planned = plan.stages[index];
  const served = stages.reduce((sum, { exposure }) => sum + exposure, 0);
  const areCounts = [requests, ...stages.map(({ exposure }) => exposure)].every(
    (count) => Number.isSafeInteger(count) && count >= 0,
  );
  if (stage === undefined || planned === undefined || !areCounts || served > requests) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a release has whole numbers of requests, at least those of its stages, and a share of its plan; got ${requests} requests, ${served} of them the candidate's, and the share ${stage?.share}`,
    );
  }
  return {
    served: stage.exposure,
    needed: Math.ceil(planned.exposure * plan.horizon),
    next: plan.stages[index + 1]?.share,
  };
}

/** `null` while too few visitors have values of this metric. */
function differenceOf(
  { stages }: ReleaseCounts,
  { name }: ReleaseMetric,
  { minVisitors }: ReleasePlan,
): ArmDifference | null {
  const sums = stages.flatMap(({ metrics }) => {
    const own = Object.hasOwn(metrics, name) ? metrics[name] : undefined;
    return own === undefined ? [] : [own];
  });
  const result = armDifference(sums);
  return result === null || result.visitors < minVisitors ? null : result;
}

function isWorse(
  result: ArmDifference | null,
  { tolerance = 0 }: ReleaseMetric,
  boundary: BoundaryOptions,
): boolean {
  return result !== null && confidenceLimits(result, boundary).high < -tolerance;
}

function looksWorse(result: ArmDifference | null, { tolerance = 0 }: ReleaseMetric): boolean {
  return result !== null && result.difference + tolerance < LOOKS_WORSE * result.error;
}

function promotion(
  { requests }: ReleaseCounts,
  result: ArmDifference,
  { primary, margin, horizon }: ReleasePlan,
  boundary: BoundaryOptions,
): ReleaseDecision {
  const { low } = confidenceLimits(result, boundary);
  const text = `the difference of ${primary.name} is at least ${low.toFixed(3)}`;
  if (low > 0) return { action: "promote", because: "better", reason: text };
  if (requests < horizon) return { action: "go on", reason: "not yet shown to be better" };
  if (low > -margin) return { action: "promote", because: "no worse", reason: text };
  const reason = `undecided after the horizon: ${text}, and ${-margin} is needed`;
  return { action: "go on", reason };
}
