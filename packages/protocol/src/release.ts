/**
 * Releases: a candidate that passed the gate serves a growing share of visitors, and their feedback decides whether it
 * is promoted or rolled back.
 */
import { z } from "zod";
import { MetricName, type SiteMetrics } from "./outcome.ts";
import { PolicyVersionId } from "./policy.ts";

/** In a release, the metric of visitors' thumbs: up is 1, down is 0. The other metrics are those that a site declares. */
export const THUMB = "thumb";

/** Metrics beside the first that a release watches. */
const MOST_GUARDRAILS = 8;
const MOST_STAGES = 20;

const ReleaseStage = z.strictObject({
  /** Share of visitors that the candidate serves. */
  share: z.number().gt(0).lt(1),
  /** Requests that the candidate serves before the share grows, as a share of the horizon. */
  exposure: z.number().gt(0).max(1),
});

/** How a site releases a candidate. What is absent has the default of `RELEASE_DEFAULTS` in `@waggle/evaluation`. */
export type ReleaseSetting = z.infer<typeof ReleaseSetting>;
export const ReleaseSetting = z
  .strictObject({
    /** What the release is for: `thumb`, or a metric that the site declares. */
    metric: MetricName,
    /** Metrics that must not fall. */
    guardrails: z.array(MetricName).max(MOST_GUARDRAILS).optional(),
    /**
     * Share of requests that give a value of `metric`. Default 1. The test becomes most sensitive at the size that it
     * expects; a poor guess costs time, and no error rate.
     */
    responseRate: z.number().gt(0).max(1).optional(),
    /** Requests of both versions after which a candidate that is no worse is promoted. */
    horizon: z.int().min(100).max(1_000_000_000).optional(),
    /** The growing shares. */
    stages: z.array(ReleaseStage).min(1).max(MOST_STAGES).optional(),
  })
  .refine(
    ({ metric, guardrails = [] }) => new Set([metric, ...guardrails]).size > guardrails.length,
    {
      path: ["guardrails"],
      message: "must not repeat a metric",
    },
  )
  .refine(
    ({ stages = [] }) => stages.every(({ share }, i) => share > (stages[i - 1]?.share ?? 0)),
    {
      path: ["stages"],
      message: "must have growing shares",
    },
  );

/** Why a site with these metrics cannot release so; `null` if it can. */
export function releaseRefusal(
  { metric, guardrails = [] }: ReleaseSetting,
  metrics: SiteMetrics,
): string | null {
  const names = [metric, ...guardrails];
  if (names.includes(THUMB) && Object.hasOwn(metrics, THUMB)) {
    return `in a release, ${THUMB} is the metric of visitors' thumbs; give the declared metric another name`;
  }
  const unknown = names.find((name) => name !== THUMB && !Object.hasOwn(metrics, name));
  const ofTurns = names.find(
    (name) => Object.hasOwn(metrics, name) && metrics[name]?.level === "turn",
  );
  if (ofTurns !== undefined) {
    return `a release compares requests, and ${ofTurns} is a metric of single turns; choose another one`;
  }
  if (unknown === undefined) return null;
  const known = [THUMB, ...Object.keys(metrics)].join(", ");
  return `a release needs a metric that the site declares, and ${unknown} is none; it has ${known}`;
}

const ArmMean = z.object({
  /** Visitors with at least one value, and their values. */
  visitors: z.int(),
  values: z.int(),
  /** In [0, 1], higher is better; `null` without values. */
  mean: z.number().nullable(),
  /** 95 % interval of the mean, with visitors as clusters; `null` with too few visitors. It holds at one time only. */
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
});

/** A release as an operator sees it. */
export type Release = z.infer<typeof Release>;
const Release = z.object({
  version: PolicyVersionId,
  /** The version that it is compared with. */
  stable: PolicyVersionId,
  state: z.enum(["running", "promoted", "rolled-back"]),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  /** Share of visitors that the candidate serves, or served last. */
  share: z.number(),
  horizon: z.int(),
  /** Those so far. `needed`: requests of the candidate before the share grows. */
  stages: z.array(
    z.object({ share: z.number(), needed: z.int(), candidate: z.int(), stable: z.int() }),
  ),
  /** The first is the one that the release is for. */
  metrics: z.array(
    z.object({
      name: z.string(),
      candidate: ArmMean,
      stable: ArmMean,
      /** Candidate minus stable, with limits that hold at all times together; `null` with too few visitors. */
      difference: z.object({ mean: z.number(), low: z.number(), high: z.number() }).nullable(),
    }),
  ),
  /** The last decision; `null` before the first. */
  decision: z.object({ action: z.string(), reason: z.string(), at: z.iso.datetime() }).nullable(),
});

/** Answer of `GET /v1/operator/releases`: the newest releases, newest first. */
export type ReleasesResponse = z.infer<typeof ReleasesResponse>;
export const ReleasesResponse = z.object({ releases: z.array(Release) });
