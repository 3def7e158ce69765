/**
 * Outcomes: what a conversation led to for the site, as values of metrics that the site declares. A page or the site's
 * own server reports them. They arrive later and are joined by trajectory id, or with the visitor's newest request.
 *
 * Source: the feedback endpoint of TensorZero, whose metrics have a type, a level and an optimization direction.
 * Differs from it: numbers have a range, so that one value cannot decide a mean; conversations have no id, so an outcome
 * names the earlier requests of its conversation.
 */
import { z } from "zod";
import { readOnly } from "./read-only-schema.ts";

/** Metrics of one site. */
const MOST_METRICS = 32;
/** Bound of a range. The sum of many squares of such numbers stays finite. */
const LARGEST = 1e9;

/** Name of a metric. */
export const MetricName: z.ZodString = z
  .string()
  .regex(
    /^[a-z][a-zA-Z0-9_-]{0,63}$/,
    "must have 1 to 64 letters, digits, _ and -, and begin with a lower-case letter",
  );

const bound = z.number().min(-LARGEST).max(LARGEST);
const common = {
  /** Whether the site wants the values to be higher or lower. */
  better: z.enum(["higher", "lower"]),
  /** Weight in a reward, from 0 to 1. With 0 the metric teaches nothing. Absent = 1. */
  weight: z.number().min(0).max(1).optional(),
  /**
   * What a value is about: one turn of a trajectory, the trajectory, or all trajectories of a conversation. Absent =
   * `trajectory`.
   */
  level: z.enum(["turn", "trajectory", "conversation"]).optional(),
};

/** A metric as a site declares it. */
const SiteMetric = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("boolean"), ...common }),
  z.strictObject({
    type: z.literal("number"),
    /** Smallest and largest value. */
    range: z
      .tuple([bound, bound])
      .refine(([low, high]) => low < high, { message: "must be two numbers, the smaller first" }),
    ...common,
  }),
]);

/** The metrics of a site, by name. */
export type SiteMetrics = z.infer<typeof SiteMetrics>;
export const SiteMetrics = z
  .record(MetricName, SiteMetric)
  .refine((metrics) => Object.keys(metrics).length <= MOST_METRICS, {
    message: `must be at most ${MOST_METRICS} metrics`,
  });

/** Number of a turn in its trajectory, from 1. */
const turn = z.int().min(1).max(1000).optional();
/** Earlier requests that one outcome can name. */
const MOST_EARLIER = 20;

/** The value of one metric for one trajectory. `id` makes sending it again idempotent. */
export type Outcome = z.infer<typeof Outcome>;
export const Outcome = readOnly(
  z.strictObject({
    id: z.uuid(),
    trajectoryId: z.uuid(),
    metric: MetricName,
    value: z.union([z.boolean(), z.number()]),
    /**
     * `visitor`: it is about the newest request of the visitor that the edge had at the time `at`, and `trajectoryId` is any
     * of their requests. Only from the site's server. Absent = `trajectory`: it is about this one.
     */
    joinBy: z.enum(["trajectory", "visitor"]).optional(),
    /** When it happened. Of two values of one metric, the later counts. */
    at: z.iso.datetime(),
    /** The turn that it is about, from 1. Only for metrics of the level `turn`, which need it. */
    turn,
    /** Trajectory ids of earlier requests of the conversation, newest first. Only for metrics of the level `conversation`. */
    conversation: z.array(z.uuid()).max(MOST_EARLIER).optional(),
  }),
);

/** Who reported an outcome: a page, which is not trusted, or the site's own server. */
export const OutcomeSource = z.enum(["page", "server"]);

/** An outcome as the edge stores it. */
export type StoredOutcome = z.infer<typeof StoredOutcome>;
export const StoredOutcome = z.object({
  id: z.uuid(),
  trajectoryId: z.uuid(),
  metric: z.string(),
  value: z.union([z.boolean(), z.number()]),
  at: z.iso.datetime(),
  source: OutcomeSource,
  turn,
});

/** An outcome of a leased trajectory, with its metric as the site declares it now. */
export type LeasedOutcome = z.infer<typeof LeasedOutcome>;
export const LeasedOutcome = StoredOutcome.pick({
  metric: true,
  value: true,
  source: true,
  turn: true,
}).extend({
  declared: SiteMetric,
  /** Requests of the conversation after this one that the outcome names. Absent = 0: it names this one. */
  place: z.int().min(0).max(MOST_EARLIER).optional(),
});

/** Outcomes in one request of the site's server. */
const MOST_OUTCOMES = 100;

const outcomesOf = <T extends z.ZodType>(outcome: T) =>
  z.strictObject({ outcomes: z.array(outcome).min(1).max(MOST_OUTCOMES) });
/** Body of `POST /v1/outcomes` (credential of the site's server). */
export type OutcomesRequest = z.infer<typeof OutcomesRequest>;
export const OutcomesRequest = outcomesOf(Outcome);
/** The same body before its outcomes are checked. The edge checks them one by one. */
export type OutcomesEnvelope = z.infer<typeof OutcomesEnvelope>;
export const OutcomesEnvelope = outcomesOf(z.unknown());
/** Result for one outcome. `id` is `null` if the outcome has none that is valid. */
const OutcomeResult = z.union([
  z.object({ id: z.uuid().nullable(), status: z.enum(["stored", "duplicate"]) }),
  z.object({
    id: z.uuid().nullable(),
    status: z.literal("refused"),
    code: z.string(),
    message: z.string(),
  }),
]);
/** Answer of `POST /v1/outcomes`: one result per outcome, in the order of the request. */
export type OutcomesResponse = z.infer<typeof OutcomesResponse>;
export const OutcomesResponse = z.object({ results: z.array(OutcomeResult) });
