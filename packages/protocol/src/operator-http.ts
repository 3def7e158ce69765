/**
 * The edge Worker's HTTP interface for operators, as schemas that the edge, the dashboard and the
 * command line share. Paths are under `/v1/operator` and need the operator's credential.
 */
import { z } from "zod";
import { StoredReceipt } from "./consent/consent-receipt.ts";
import { Feedback } from "./feedback.ts";
import { OutcomeSource, SiteMetrics, StoredOutcome } from "./outcome.ts";
import { PolicyStatus, Sha256 } from "./policy-version.ts";
import { PolicyVersionId } from "./policy.ts";
import { StaffNote } from "./staff-note.ts";
import { TaskReference } from "./task.ts";
import { MetricsRow } from "./trainer-http.ts";
import { ToolDifference } from "./tool-difference.ts";
import { Trajectory } from "./trajectory.ts";

// DELETE /v1/operator/visitors/:visitorId answers a DeletionResponse, as the visitor's own deletion does.

/** Answer of `GET /v1/operator/consent`. */
export type ConsentResponse = z.infer<typeof ConsentResponse>;
export const ConsentResponse = z.object({
  /** Highest version first. `null` counts rows stored before consent versions were recorded. */
  versions: z.array(
    z.object({ version: z.string().nullable(), trajectories: z.int(), visitors: z.int() }),
  ),
});

/** Answer of `GET /v1/operator/deletions`: what was learned from visitors who were forgotten since. */
export type DeletionsResponse = z.infer<typeof DeletionsResponse>;
export const DeletionsResponse = z.object({
  /** Visitors who were forgotten. */
  visitors: z.int(),
  /** Their trajectories that a step learned from. */
  learned: z.int(),
  /** The versions that learned from some, newest first. */
  versions: z.array(
    z.object({ version: PolicyVersionId, status: PolicyStatus, trajectories: z.int() }),
  ),
});

/** Outcomes in the summary. Only those of stored requests of visitors count. */
const OutcomeSummary = z.object({
  /** What the site declares now. */
  declared: SiteMetrics,
  /** A metric without outcomes is absent. One that is no longer declared stays. */
  byMetric: z.array(
    z.object({
      metric: z.string(),
      type: z.enum(["boolean", "number"]),
      source: OutcomeSource,
      count: z.int(),
      /** Of booleans: the share of `true`. */
      mean: z.number(),
      /** Sample standard deviation; `null` for a single value. */
      deviation: z.number().nullable(),
    }),
  ),
  /** Trajectories of visitors' own requests, and those of them with at least one outcome. */
  liveTrajectories: z.int(),
  withOutcome: z.int(),
});

/** How many of the visitors' own requests got feedback. A request without any is missing, and no failure. */
const ResponseSummary = z.object({
  requests: z.int(),
  /** Requests with a `thumb`, a `message`, an `edit`, `abandon`, or an `outcome:` of a metric. */
  bySignal: z.array(z.object({ signal: z.string(), requests: z.int() })),
  /** Requests that waited for feedback, by kind of request, and those that got it. */
  byStratum: z.array(z.object({ stratum: z.string(), requests: z.int(), answered: z.int() })),
});

/** Answer of `GET /v1/operator/summary`. */
export type OperatorSummary = z.infer<typeof OperatorSummary>;
export const OperatorSummary = z.object({
  trajectories: z.object({
    received: z.int(),
    waiting: z.int(),
    leased: z.int(),
    learned: z.int(),
    rejected: z.int(),
    skipped: z.int(),
  }),
  rejectedByReason: z.array(z.object({ reason: z.string(), count: z.int() })),
  /** Trajectories stored but not learned. Absent from an edge of the previous release. */
  skippedByReason: z.array(z.object({ reason: z.string(), count: z.int() })).optional(),
  /** Assigned tasks only, by the version that sampled. */
  byVersion: z.array(
    z.object({
      version: PolicyVersionId,
      trajectories: z.int(),
      successes: z.int(),
      meanReward: z.number().nullable(),
      meanTokens: z.number().nullable(),
    }),
  ),
  feedback: z.array(z.object({ kind: z.string(), count: z.int() })),
  /** Absent from an edge of the previous release. */
  outcomes: OutcomeSummary.optional(),
  /** Absent from an edge of the previous release. */
  responses: ResponseSummary.optional(),
  visitors: z.int(),
  stable: PolicyVersionId,
  canary: PolicyVersionId,
});

// GET /v1/operator/policies answers PoliciesResponse.

/** Answer of `GET /v1/operator/metrics?after=<step>`, ascending by step. */
export type MetricsResponse = z.infer<typeof MetricsResponse>;
export const MetricsResponse = z.object({ rows: z.array(MetricsRow) });

/** A trajectory without its content. */
export type TrajectoryRow = z.infer<typeof TrajectoryRow>;
export const TrajectoryRow = z.object({
  digest: Sha256,
  id: z.uuid(),
  visitorId: z.uuid(),
  groupId: z.uuid().nullable(),
  receivedAt: z.iso.datetime(),
  status: z.enum(["waiting", "leased", "learned", "rejected", "skipped"]),
  reason: z.string().nullable(),
  /** The call whose results differ in page and environment. Absent from an edge of the previous release. */
  difference: ToolDifference.nullable().optional(),
  policyVersion: PolicyVersionId,
  task: TaskReference.nullable(),
  /** Sampled tokens. */
  tokens: z.int(),
  stopReason: z.string(),
  reward: z.number().nullable(),
  success: z.boolean().nullable(),
  advantage: z.number().nullable(),
  learnedAtStep: z.int().nullable(),
  staleness: z.int().nullable(),
  /** Mean and max |behavior − re-scored| in nats, as measured by the trainer. */
  logProbGapMean: z.number().nullable(),
  logProbGapMax: z.number().nullable(),
  /** Whether the edge gave the sampling seed. If not, the page chose it. Absent from an edge of the previous release. */
  hasEdgeSeed: z.boolean().optional(),
  /** Tokens that the seeds do not select, as counted by the trainer; `null` if it could not draw them again. */
  drawMismatches: z.int().nullable().optional(),
});
/** Counts of what a visitor or a network sent. */
const SenderEvidence = z.object({
  /** Records that passed every check. */
  verified: z.int(),
  /** Records that were rejected for what no honest page sends. */
  forged: z.int(),
  /** Records or tasks that were aborted, not answered, or different when replayed. */
  dropped: z.int(),
});

/** Answer of `GET /v1/operator/quarantine`. */
export type QuarantineResponse = z.infer<typeof QuarantineResponse>;
export const QuarantineResponse = z.object({
  /** Those with the most forged records first; at most 100. */
  senders: z.array(
    SenderEvidence.extend({
      /** Pseudonym of a visitor, or keyed hash of a network. */
      id: z.string(),
      kind: z.enum(["visitor", "network"]),
      /** Why the last forged record was rejected. */
      reason: z.string().nullable(),
      changedAt: z.iso.datetime(),
    }),
  ),
});

/**
 * One line of `GET /v1/operator/visitors/:visitorId/export` (JSON Lines). A complete export ends with
 * an `end` line.
 */
export type VisitorExportLine = z.infer<typeof VisitorExportLine>;
export const VisitorExportLine = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("visitor"),
    visitorId: z.string(),
    exportedAt: z.iso.datetime(),
    forgotten: z.boolean(),
    /**
     * Seeds without an upload: those of expired tasks, and those of requests that were passed over. Absent from an edge of
     * the previous release.
     */
    unusedSeeds: z.int().optional(),
    /** Counts for the visitor's reputation; `null` for none. Absent from an edge of the previous release. */
    reputation: SenderEvidence.nullable().optional(),
  }),
  z.object({
    kind: z.literal("consent"),
    version: z.string().nullable(),
    trajectories: z.int(),
  }),
  StoredReceipt.extend({ kind: z.literal("receipt") }),
  z.object({
    kind: z.literal("trajectory"),
    row: TrajectoryRow,
    /** The stored object, unparsed; `null` where it is missing or damaged. */
    trajectory: z.unknown(),
  }),
  z.object({
    kind: z.literal("dead-letter"),
    digest: z.string(),
    reason: z.string(),
    failedLeases: z.int(),
    diedAt: z.iso.datetime(),
  }),
  z.object({ kind: z.literal("feedback"), feedback: Feedback }),
  z.object({ kind: z.literal("outcome"), outcome: StoredOutcome }),
  /** Without the name of who wrote it. */
  z.object({
    kind: z.literal("staff-note"),
    digest: z.string(),
    note: StaffNote.omit({ by: true }),
  }),
  z.object({
    kind: z.literal("assignment"),
    assignmentId: z.string(),
    groupId: z.string(),
    createdAt: z.iso.datetime(),
    /** Of a perturbed policy, if the site collects rewards. */
    reward: z.number().optional(),
  }),
  z.object({ kind: z.literal("end"), lines: z.int() }),
]);

/**
 * Answer of `GET /v1/operator/trajectories?status=&version=&success=&reason=&group=&limit=&cursor=`,
 * newest first.
 */
export type TrajectoriesResponse = z.infer<typeof TrajectoriesResponse>;
export const TrajectoriesResponse = z.object({
  rows: z.array(TrajectoryRow),
  nextCursor: z.string().nullable(),
});

/** Answer of `GET /v1/operator/trajectories/:digest`. */
export type TrajectoryDetail = z.infer<typeof TrajectoryDetail>;
export const TrajectoryDetail = z.object({
  row: TrajectoryRow,
  trajectory: Trajectory,
  /** Of the consent that it rests on; `null` for none. Absent from an edge of the previous release. */
  receipt: StoredReceipt.nullable().optional(),
  feedback: z.array(Feedback),
  /** Absent from an edge of the previous release. */
  outcomes: z.array(StoredOutcome).optional(),
  /** Of the site's staff, oldest first. Absent from an edge of the previous release. */
  notes: z.array(StaffNote).optional(),
  /** Days that a consent holds at this site. Absent from an edge of the previous release: `CONSENT_DAYS`. */
  consentDays: z.int().min(1).optional(),
  /**
   * Why nothing more is learned from it: its visitor withdrew or allows less since, or agreed too long ago. `null` if the consent
   * holds. Absent from an edge of the previous release.
   */
  consentEnded: z.enum(["consent-withdrawn", "consent-expired"]).nullable().optional(),
});

// POST /v1/operator/policies/:version/roll-back works like the trainer's.

/** Answer of `GET /v1/operator/unfinished-objects`. */
export type UnfinishedObjectsResponse = z.infer<typeof UnfinishedObjectsResponse>;
export const UnfinishedObjectsResponse = z.object({
  objects: z.array(
    z.object({
      /** Hash of the object that was to be assembled. */
      sha256: Sha256,
      /** Number of stored parts. */
      parts: z.int(),
      /** Bytes of the stored parts. */
      sizeBytes: z.int(),
      /** When the last part arrived. */
      lastPartAt: z.iso.datetime(),
    }),
  ),
});
