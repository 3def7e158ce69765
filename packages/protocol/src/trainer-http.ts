/**
 * The edge Worker's HTTP interface for trainers, as schemas that both sides share. Paths are under
 * `/v1/trainer`. A trainer authenticates with `Authorization: Bearer <trainer credential>`.
 */
import { z } from "zod";
import { FEEDBACK_TEXT_LENGTH } from "./constants.ts";
import { Feedback } from "./feedback.ts";
import { GuidanceReference } from "./guidance.ts";
import { LeasedOutcome } from "./outcome.ts";
import { PolicyVersionId } from "./policy.ts";
import {
  AdapterReference,
  BaseModelReference,
  EvaluationResult,
  PolicySignature,
  PolicyVersion,
  Sha256,
} from "./policy-version.ts";
import { TaskReference } from "./task.ts";
import { ToolDifference } from "./tool-difference.ts";
import { Trajectory } from "./trajectory.ts";

/** Body of `POST /v1/trainer/leases`. Leases whole groups: complete ones, or those past their deadline. */
export type LeaseRequest = z.infer<typeof LeaseRequest>;
export const LeaseRequest = z.strictObject({
  trainerId: z.string().min(1).max(64),
  maxGroups: z.int().min(1).max(256),
  /** How long the lease lasts without renewal. */
  durationSeconds: z.int().min(5).max(3600),
});
/** Requests of the same kind as one request, and how many of them got feedback; then the same for all requests of the site. */
const ResponseCounts = z.object({
  requests: z.int().min(0),
  answered: z.int().min(0),
  allRequests: z.int().min(0),
  allAnswered: z.int().min(0),
});
/** One trajectory in a leased group. */
export type LeasedTrajectory = z.infer<typeof LeasedTrajectory>;
export const LeasedTrajectory = z.object({
  digest: Sha256,
  visitorId: z.uuid(),
  receivedAt: z.iso.datetime(),
  trajectory: Trajectory,
  feedback: z.array(Feedback),
  /** Outcomes of declared metrics. Absent from an edge of the previous release. */
  outcomes: z.array(LeasedOutcome).optional(),
  /** What the last answer should have been, as the site's staff wrote it last. Absent: nothing, or the site does not teach it. */
  staffAnswer: z.string().max(FEEDBACK_TEXT_LENGTH).optional(),
  /** Keyed hash of the network that it came from. Absent if it is unknown. */
  network: z.string().max(64).optional(),
  /** Hash of the site key that its page used. Absent if it is unknown. */
  siteKey: z.string().max(64).optional(),
  /** Weight of the sender's reputation; 0: in quarantine, not to be learned from. Default 1. */
  reputation: z.number().min(0).max(1).optional(),
  /** How often such requests get feedback. Absent if the edge does not wait for feedback on it. */
  response: ResponseCounts.optional(),
});
/** One leased group. */
export type LeasedGroup = z.infer<typeof LeasedGroup>;
export const LeasedGroup = z.object({
  groupId: z.uuid(),
  /** The assigned task; `null` for a live visitor's own request, which is a group of one. */
  task: TaskReference.nullable(),
  /** Number of assignments handed out for this group. */
  size: z.int(),
  /** Days that a consent holds at this site. Absent from an edge of the previous release: `CONSENT_DAYS`. */
  consentDays: z.int().min(1).optional(),
  trajectories: z.array(LeasedTrajectory),
});
/** Answer of `POST /v1/trainer/leases`. When no group is ready, `leaseId` is `null` and `groups` empty. */
export type LeaseResponse = z.infer<typeof LeaseResponse>;
export const LeaseResponse = z.object({
  leaseId: z.uuid().nullable(),
  /** Grows with each lease of a group. An acknowledgement with an older token is refused. */
  fencingToken: z.int(),
  expiresAt: z.iso.datetime(),
  groups: z.array(LeasedGroup),
  /** Earlier leases of this group failed. Learn from it alone, so that it cannot fail other groups. */
  isAlone: z.boolean().optional(),
});

/** Answer of `GET /v1/trainer/requests`: visitors' own requests that no trainer has learned from, newest first. */
export type RequestsResponse = z.infer<typeof RequestsResponse>;
export const RequestsResponse = z.object({
  requests: z.array(z.object({ digest: Sha256, visitorId: z.uuid() })),
});

/** Body of `POST /v1/trainer/leases/:leaseId/renew`. */
export type RenewRequest = z.infer<typeof RenewRequest>;
export const RenewRequest = z.strictObject({
  fencingToken: z.int().min(0),
  durationSeconds: z.int().min(5).max(3600),
});
/** Answer of `POST /v1/trainer/leases/:leaseId/renew`. */
export type RenewResponse = z.infer<typeof RenewResponse>;
export const RenewResponse = z.object({
  expiresAt: z.iso.datetime(),
  /**
   * Digests in this lease that must no longer be learned: the visitor's data was deleted, the visitor's consent has ended, or a
   * trainer whose lease expired has already learned them.
   */
  forgotten: z.array(Sha256).optional(),
});

/** Body of `POST /v1/trainer/leases/:leaseId/release`, which gives the groups back. */
export type ReleaseRequest = z.infer<typeof ReleaseRequest>;
export const ReleaseRequest = z.strictObject({
  fencingToken: z.int().min(0),
});

/** What the trainer did with one trajectory. Values that could not be computed are absent. */
export type TrajectoryOutcome = z.infer<typeof TrajectoryOutcome>;
export const TrajectoryOutcome = z.strictObject({
  digest: Sha256,
  status: z.enum(["learned", "rejected", "skipped"]),
  /**
   * Stable reason for a rejection or skip: `log-prob-gap`, `replay-mismatch at turn 2`, `no-signal`, …
   * `page-tool-failed`: learned as a failure, because a page tool is said to have failed.
   */
  reason: z.string().max(64).optional(),
  /**
   * For `replay-mismatch at turn N` and `tool-wording`: the call whose results differ. Trainers of the previous release
   * do not send it, and others send it only for some trajectories of a lease.
   */
  difference: ToolDifference.optional(),
  reward: z.number().optional(),
  success: z.boolean().optional(),
  advantage: z.number().optional(),
  /** Optimizer step that used it. */
  step: z.int().min(0).optional(),
  staleness: z.int().optional(),
  /** Mean and max |behavior − re-scored| in nats. */
  logProbGapMean: z.number().optional(),
  logProbGapMax: z.number().optional(),
  /** Tokens that the recorded seeds do not select. Absent if they were not drawn again. */
  drawMismatches: z.int().min(0).optional(),
});

/** A trainer state and its progress. Each state has its own lineage of parameters. */
export type Lineage = z.infer<typeof Lineage>;
export const Lineage = z.strictObject({
  stateId: z.uuid(),
  /** Learning steps saved durably in the state. */
  step: z.int().min(0),
});

/** Answer of `POST /v1/trainer/lineages`, which a trainer calls when it starts. */
export type LineageResponse = z.infer<typeof LineageResponse>;
export const LineageResponse = z.object({
  /** Last step this state reported; `null` if the edge does not know the state. */
  knownStep: z.int().nullable(),
  /** Last step reported by any state. */
  newestStep: z.int(),
});

/** Body of `POST /v1/trainer/leases/:leaseId/acknowledge`. Idempotent per lease. */
export type AcknowledgeRequest = z.infer<typeof AcknowledgeRequest>;
export const AcknowledgeRequest = z.strictObject({
  fencingToken: z.int().min(0),
  outcomes: z.array(TrajectoryOutcome).max(4096),
  /** The state that learned. Trainers of the previous release do not send it. */
  lineage: Lineage.optional(),
});
/** `twice`: digests that another lease already marked as learned. The trainer discards its update. */
export type AcknowledgeResponse = z.infer<typeof AcknowledgeResponse>;
export const AcknowledgeResponse = z.object({
  acknowledged: z.int(),
  twice: z.int(),
});

// PUT /v1/trainer/objects/:sha256 takes raw bytes and answers { sizeBytes }. It is refused if the hash differs.
// PUT /v1/trainer/objects/:sha256/gzip takes the same bytes compressed, for browsers that accept gzip.

/**
 * Body of `PUT /v1/trainer/base-model`, which defines version 0. Upload the objects first.
 * `vocabularySize` limits uploaded token ids; `contextLength` limits the tokens on one path.
 */
export type BaseModelRequest = z.infer<typeof BaseModelRequest>;
export const BaseModelRequest = z.strictObject({
  baseModel: BaseModelReference,
  vocabularySize: z.int().min(2),
  contextLength: z.int().min(1).optional(),
  /** Of version 0. Required if the site has publisher keys. */
  signature: PolicySignature.optional(),
});

/**
 * Body of `POST /v1/trainer/policies`; the answer is the `PolicyVersion`. The edge assigns the version
 * number, and a repeated `publicationId` gets the same version. 409 `PUBLICATION_STALE`: policies have
 * changed since `epoch`; read them and publish again. 409 `GATE_NOT_PASSED`: a canary's evaluation does
 * not pass the edge's gate.
 */
export type PublishRequest = z.infer<typeof PublishRequest>;
export const PublishRequest = z
  .strictObject({
    /** Generated by the publisher and saved there before the call. */
    publicationId: z.uuid(),
    /** Fencing token: the `epoch` that the publisher last read. */
    epoch: z.int().min(0),
    parent: PolicyVersionId,
    baseModel: Sha256,
    /** May be `null` only with guidance. */
    adapter: AdapterReference.nullable(),
    guidance: GuidanceReference.optional(),
    /** May be `null` only for guidance over the parent's own adapter, with `withoutEvaluation`. */
    evaluation: EvaluationResult.nullable(),
    /** Publish guidance over the parent's own adapter to the canary channel before it is evaluated. */
    withoutEvaluation: z.boolean().optional(),
    step: z.int().min(0),
    /** `rolled-back` records a candidate that failed its evaluation. It is never served. */
    status: z.enum(["canary", "rolled-back"]),
    /** Of the next version number. Required for a canary if the site has publisher keys. */
    signature: PolicySignature.optional(),
  })
  .refine(({ adapter, guidance }) => adapter !== null || guidance !== undefined, {
    message: "a version needs an adapter or guidance",
  });

/** What an evaluation must show before a promotion. Configured at the edge. */
export type PromotionGate = z.infer<typeof PromotionGate>;
export const PromotionGate = z.object({
  /** Minimum number of frozen tasks. */
  minTasks: z.int().min(1),
  /** Largest drop in success rate that still counts as noise. */
  margin: z.number().min(0).max(1),
  /** Paired p-value below which a drop counts as real. */
  significance: z.number().min(0).max(1),
  /** Minimum number of retention tasks; 0 = none is needed. Edges of earlier releases do not send it. */
  retentionTasks: z.int().min(0).optional(),
  /** Largest fall on the retention tasks that always passes, as a share of them. */
  retentionMargin: z.number().min(0).max(1).optional(),
  /** Frozen tasks that the probes must have compared; 0 = no probes. Edges of earlier releases do not send it. */
  probeTasks: z.int().min(0).optional(),
  /**
   * Whether the site has an environment. Without one, a version is compared at visitors' requests, and each verdict counts as
   * a task. Edges of earlier releases do not send it, and let nothing pass without tasks.
   */
  hasEnvironment: z.boolean().optional(),
  /** Whether a version that passed is released to a growing share of visitors, who decide about it. */
  hasRelease: z.boolean().optional(),
});

/**
 * Body of `POST /v1/operator/policies/:version/promote`; `POST /v1/trainer/policies/:version/promote` has
 * none. The version becomes stable and the earlier stable version retires; the answer is the
 * `PolicyVersion`. Refused with `GATE_NOT_PASSED`, `PUBLICATION_STALE` or `LINEAGE_ROLLED_BACK`.
 */
export type PromoteRequest = z.infer<typeof PromoteRequest>;
export const PromoteRequest = z.strictObject({
  /** Promote even if an ancestor of the version was rolled back. */
  allowDescendant: z.boolean().optional(),
  /** Promote even if no evaluation passes the gate. */
  withoutEvaluation: z.boolean().optional(),
  /** Promote even if the version itself was rolled back. */
  rolledBack: z.boolean().optional(),
  /** Recorded in the audit log. */
  reason: z.string().max(500).optional(),
});

/**
 * Body of `POST /v1/trainer/policies/:version/roll-back`; may be omitted. The canary channel falls back to
 * the stable version; the answer is the `PolicyVersion`.
 */
export type RollBackRequest = z.infer<typeof RollBackRequest>;
export const RollBackRequest = z.strictObject({
  reason: z.string().max(500).optional(),
});

/**
 * Answer of `GET /v1/trainer/policies?since=<epoch>`, newest first. With `since`, only versions that
 * changed after that epoch.
 */
export type PoliciesResponse = z.infer<typeof PoliciesResponse>;
export const PoliciesResponse = z.object({
  stable: PolicyVersionId,
  canary: PolicyVersionId,
  /** Grows each time a policy changes. */
  epoch: z.int().min(0),
  /** The highest version number that was given. Absent from edges of the previous release. */
  newest: PolicyVersionId.optional(),
  gate: PromotionGate,
  /**
   * The running release; `null` without one. The edge and operators may promote its candidate; they and the trainer may roll
   * it back. Absent from earlier edges.
   */
  release: z.object({ version: PolicyVersionId, share: z.number() }).nullable().optional(),
  policies: z.array(PolicyVersion),
});

/**
 * Answer of `GET /v1/trainer/signatures`, and body of `PUT /v1/trainer/signatures`, which replaces those of the named
 * versions.
 */
export type PolicySignatures = z.infer<typeof PolicySignatures>;
export const PolicySignatures = z.strictObject({
  signatures: z
    .array(z.strictObject({ version: PolicyVersionId, signature: PolicySignature }))
    .max(1000),
});

/** One optimizer step's metrics, for the dashboard. */
export type MetricsRow = z.infer<typeof MetricsRow>;
export const MetricsRow = z.strictObject({
  step: z.int().min(0),
  at: z.iso.datetime(),
  metrics: z.record(z.string().max(64), z.number()),
});
/** Body of `POST /v1/trainer/metrics`. Idempotent by step. */
export type MetricsRequest = z.infer<typeof MetricsRequest>;
export const MetricsRequest = z.strictObject({
  rows: z.array(MetricsRow).max(1000),
});

/** Maximum bytes of one part of an object, below the body limit of a deployed Worker. */
export const MAX_PART_BYTES: number = 50_000_000;
/** Answer of `GET /v1/trainer/objects/:sha256/parts`: parts of the object that need not be sent again, in no order. */
export type ObjectPartsResponse = z.infer<typeof ObjectPartsResponse>;
export const ObjectPartsResponse = z.object({
  parts: z.array(z.object({ sha256: Sha256, sizeBytes: z.int() })),
});
/** Body of `POST /v1/trainer/objects/:sha256/assemble`. */
export type AssembleRequest = z.infer<typeof AssembleRequest>;
export const AssembleRequest = z.strictObject({
  /** Hashes of the parts in the order of the object's bytes. */
  parts: z.array(Sha256).min(1).max(256),
});
