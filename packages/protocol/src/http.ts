/**
 * The HTTP interface of the edge Worker, as schemas both sides share. Paths are under `/v1`; pages
 * authenticate with `Authorization: Bearer <session token>`, trainer and dashboard with their
 * credential the same way. Failures are `ErrorBody` with a 4xx or 5xx.
 */
import { z } from "zod";
import { Feedback } from "./feedback.ts";
import { GuidanceReference } from "./guidance.ts";
import { PolicyVersionId } from "./policy.ts";
import {
  AdapterReference,
  BaseModelReference,
  Channel,
  EvaluationResult,
  PolicyVersion,
  Sha256,
} from "./policy-version.ts";
import { TaskReference } from "./task.ts";
import { Trajectory } from "./trajectory.ts";

/** `{ error: { code, message } }`; the payload that caused it is never echoed. */
export type ErrorBody = { error: { code: string; message: string } };
export const ErrorBody: z.ZodType<ErrorBody> = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
});

// POST /v1/sessions — no authentication; the site key is public.
export type SessionRequest = {
  siteKey: string;
  /** Long-lived token of an earlier answer: proves who this visitor is. */
  visitorToken?: string | undefined;
  /** Whether the visitor agreed. `false`: an id for this visit only, for which nothing is stored. Absent: true. */
  remember?: boolean | undefined;
};
export const SessionRequest: z.ZodType<SessionRequest> = z.strictObject({
  siteKey: z.string().min(1).max(128),
  visitorToken: z.string().min(1).max(2048).optional(),
  remember: z.boolean().optional(),
});
export type SessionResponse = {
  token: string;
  /** ISO 8601; ask again before. */
  expiresAt: string;
  visitorId: string;
  /** Proves this visitor to the next session. A page without consent keeps it in memory only. */
  visitorToken: string;
  channel: Channel;
};
export const SessionResponse: z.ZodType<SessionResponse> = z.object({
  token: z.string(),
  expiresAt: z.iso.datetime(),
  visitorId: z.uuid(),
  visitorToken: z.string(),
  channel: Channel,
});

// GET /v1/policy — session; the manifest of the session's channel, with an ETag. Body: PolicyManifest.
// GET /v1/policies/:channel — no authentication; manifest of a channel by name. Body: PolicyManifest.
// GET /v1/objects/:sha256 — no authentication; model files and adapters, immutable.

// POST /v1/assignments — session; the edge decides the task and the group. 204 with `Retry-After` where there is
// no task now: as many groups as allowed wait for the trainer.
export type AssignmentResponse = { assignmentId: string; groupId: string; task: TaskReference };
export const AssignmentResponse: z.ZodType<AssignmentResponse> = z.object({
  assignmentId: z.uuid(),
  groupId: z.uuid(),
  task: TaskReference,
});

// POST /v1/trajectories — session; body is `UploadRequest` as JSON, `Content-Encoding: gzip` allowed.
export const UPLOAD_LIMITS: { readonly bodyBytes: number; readonly trajectories: number } = {
  /** Of the decoded body. */
  bodyBytes: 4 * 1024 * 1024,
  trajectories: 64,
};
export type UploadRequest = { trajectories: { digest: string; trajectory: Trajectory }[] };
export const UploadRequest: z.ZodType<UploadRequest> = z.strictObject({
  trajectories: z
    .array(z.strictObject({ digest: Sha256, trajectory: Trajectory }))
    .min(1)
    .max(UPLOAD_LIMITS.trajectories),
});
/** `duplicate` = stored before under the same digest by the same visitor: success for the sender. */
export type UploadResult =
  | { digest: string; status: "accepted" | "duplicate" }
  | { digest: string; status: "rejected"; code: string; message: string };
export type UploadResponse = { results: UploadResult[] };
export const UploadResponse: z.ZodType<UploadResponse> = z.object({
  results: z.array(
    z.union([
      z.object({ digest: z.string(), status: z.enum(["accepted", "duplicate"]) }),
      z.object({
        digest: z.string(),
        status: z.literal("rejected"),
        code: z.string(),
        message: z.string(),
      }),
    ]),
  ),
});

// POST /v1/feedback — session; idempotent by feedback id.
export const FeedbackRequest: z.ZodType<Feedback> = Feedback;

// DELETE /v1/visitor — session; removes everything of this visitor.
export type DeletionResponse = {
  deletedTrajectories: number;
  deletedFeedback: number;
  /** Policy versions that had learned from what was deleted. */
  learnedBy: number[];
};
export const DeletionResponse: z.ZodType<DeletionResponse> = z.object({
  deletedTrajectories: z.int(),
  deletedFeedback: z.int(),
  learnedBy: z.array(PolicyVersionId),
});

// ---- trainer (credential) ----

// POST /v1/trainer/leases — whole groups (complete, or past their deadline).
export type LeaseRequest = {
  trainerId: string;
  maxGroups: number;
  /** How long the lease holds without renewal. */
  durationSeconds: number;
};
export const LeaseRequest: z.ZodType<LeaseRequest> = z.strictObject({
  trainerId: z.string().min(1).max(64),
  maxGroups: z.int().min(1).max(256),
  durationSeconds: z.int().min(5).max(3600),
});
export type LeasedTrajectory = {
  digest: string;
  visitorId: string;
  receivedAt: string;
  trajectory: Trajectory;
  feedback: Feedback[];
};
export const LeasedTrajectory: z.ZodType<LeasedTrajectory> = z.object({
  digest: Sha256,
  visitorId: z.uuid(),
  receivedAt: z.iso.datetime(),
  trajectory: Trajectory,
  feedback: z.array(Feedback),
});
export type LeasedGroup = {
  groupId: string;
  /** What the edge assigned; `null` for a live visitor's own request (a group of one). */
  task: TaskReference | null;
  /** Assignments handed out for this group. */
  size: number;
  trajectories: LeasedTrajectory[];
};
/** `leaseId` is `null` and `groups` empty when nothing is ready. */
export type LeaseResponse = {
  leaseId: string | null;
  /** Grows with every lease of a group; an acknowledgement under an older one is refused. */
  fencingToken: number;
  expiresAt: string;
  groups: LeasedGroup[];
  /** Earlier leases of this group failed: learn from it alone, so that it cannot harm others. */
  isAlone?: boolean | undefined;
};
export const LeaseResponse: z.ZodType<LeaseResponse> = z.object({
  leaseId: z.uuid().nullable(),
  fencingToken: z.int(),
  expiresAt: z.iso.datetime(),
  groups: z.array(
    z.object({
      groupId: z.uuid(),
      task: TaskReference.nullable(),
      size: z.int(),
      trajectories: z.array(LeasedTrajectory),
    }),
  ),
  isAlone: z.boolean().optional(),
});

// POST /v1/trainer/leases/:leaseId/renew  { fencingToken, durationSeconds } -> { expiresAt, forgotten }
export type RenewRequest = { fencingToken: number; durationSeconds: number };
export const RenewRequest: z.ZodType<RenewRequest> = z.strictObject({
  fencingToken: z.int().min(0),
  durationSeconds: z.int().min(5).max(3600),
});
export type RenewResponse = {
  expiresAt: string;
  /**
   * Digests under this lease that are not to be learned from any more: their visitors were forgotten
   * since, or the trainer of an expired lease had learned them.
   */
  forgotten?: string[] | undefined;
};
export const RenewResponse: z.ZodType<RenewResponse> = z.object({
  expiresAt: z.iso.datetime(),
  forgotten: z.array(Sha256).optional(),
});

// POST /v1/trainer/leases/:leaseId/release  { fencingToken } -> {} ; gives the groups back.
export type ReleaseRequest = { fencingToken: number };
export const ReleaseRequest: z.ZodType<ReleaseRequest> = z.strictObject({
  fencingToken: z.int().min(0),
});

/** What became of one trajectory. Numbers are absent where they could not be had. */
export type TrajectoryOutcome = {
  digest: string;
  status: "learned" | "rejected" | "skipped";
  /** Stable word for a rejection or skip: `log-prob-gap`, `replay-mismatch`, `no-signal`, … */
  reason?: string | undefined;
  reward?: number | undefined;
  success?: boolean | undefined;
  advantage?: number | undefined;
  /** Optimizer step that learned from it. */
  step?: number | undefined;
  staleness?: number | undefined;
  /** Mean and max |behavior − re-scored| in nats. */
  logProbGapMean?: number | undefined;
  logProbGapMax?: number | undefined;
};
export const TrajectoryOutcome: z.ZodType<TrajectoryOutcome> = z.strictObject({
  digest: Sha256,
  status: z.enum(["learned", "rejected", "skipped"]),
  reason: z.string().max(64).optional(),
  reward: z.number().optional(),
  success: z.boolean().optional(),
  advantage: z.number().optional(),
  step: z.int().min(0).optional(),
  staleness: z.int().optional(),
  logProbGapMean: z.number().optional(),
  logProbGapMax: z.number().optional(),
});

/** A trainer's state and how far it is. Another state is another lineage of parameters. */
export type Lineage = {
  stateId: string;
  /** Learning steps that are durable in the state. */
  step: number;
};
export const Lineage: z.ZodType<Lineage> = z.strictObject({
  stateId: z.uuid(),
  step: z.int().min(0),
});

// POST /v1/trainer/lineages -> LineageResponse. A trainer calls it when it starts.
export type LineageResponse = {
  /** The last step that this state reported before; `null` for a state that the edge does not know. */
  knownStep: number | null;
  /** The last step of any state. */
  newestStep: number;
};
export const LineageResponse: z.ZodType<LineageResponse> = z.object({
  knownStep: z.int().nullable(),
  newestStep: z.int(),
});

// POST /v1/trainer/leases/:leaseId/acknowledge -> AcknowledgeResponse. Idempotent for one lease.
export type AcknowledgeRequest = {
  fencingToken: number;
  outcomes: TrajectoryOutcome[];
  /** The state that learned; absent from trainers of the previous release. */
  lineage?: Lineage | undefined;
};
export const AcknowledgeRequest: z.ZodType<AcknowledgeRequest> = z.strictObject({
  fencingToken: z.int().min(0),
  outcomes: z.array(TrajectoryOutcome).max(4096),
  lineage: Lineage.optional(),
});
/** `twice`: digests that another lease had marked learned; the trainer gives up its own learning. */
export type AcknowledgeResponse = { acknowledged: number; twice: number };
export const AcknowledgeResponse: z.ZodType<AcknowledgeResponse> = z.object({
  acknowledged: z.int(),
  twice: z.int(),
});

// PUT /v1/trainer/objects/:sha256 — raw bytes; refused when the hash differs. -> { sizeBytes }

// PUT /v1/trainer/base-model — BaseModelReference; sets what version 0 is. Objects first.
// `vocabularySize` bounds uploaded token ids, `contextLength` the tokens of one path.
export type BaseModelRequest = {
  baseModel: BaseModelReference;
  vocabularySize: number;
  contextLength?: number | undefined;
};
export const BaseModelRequest: z.ZodType<BaseModelRequest> = z.strictObject({
  baseModel: BaseModelReference,
  vocabularySize: z.int().min(2),
  contextLength: z.int().min(1).optional(),
});

// POST /v1/trainer/policies — the edge assigns the version number. The same `publicationId` again gets
// the same version. 409 PUBLICATION_STALE when policies changed after `epoch`: read them and publish
// again. 409 GATE_NOT_PASSED for a canary whose evaluation does not pass the edge's gate. -> PolicyVersion
export type PublishRequest = {
  /** Made by the publisher and durable there before the call. */
  publicationId: string;
  /** Fencing token: `epoch` of the policies that the publisher read last. */
  epoch: number;
  parent: PolicyVersionId;
  baseModel: string;
  /** `null` only with guidance. */
  adapter: AdapterReference | null;
  guidance?: GuidanceReference | undefined;
  /** `null` only for text over the parent's own adapter, and with `withoutEvaluation`. */
  evaluation: EvaluationResult | null;
  /** Publish text over the parent's own adapter to the canary channel before it is evaluated. */
  withoutEvaluation?: boolean | undefined;
  step: number;
  /** `rolled-back` records a candidate that failed its evaluation; it is never served. */
  status: "canary" | "rolled-back";
};
export const PublishRequest: z.ZodType<PublishRequest> = z
  .strictObject({
    publicationId: z.uuid(),
    epoch: z.int().min(0),
    parent: PolicyVersionId,
    baseModel: Sha256,
    adapter: AdapterReference.nullable(),
    guidance: GuidanceReference.optional(),
    evaluation: EvaluationResult.nullable(),
    withoutEvaluation: z.boolean().optional(),
    step: z.int().min(0),
    status: z.enum(["canary", "rolled-back"]),
  })
  .refine(({ adapter, guidance }) => adapter !== null || guidance !== undefined, {
    message: "a version must have an adapter or guidance",
  });

/** What a promotion must show; configured at the edge. */
export type PromotionGate = {
  /** Frozen tasks an evaluation must have. */
  minTasks: number;
  /** Largest fall of the success rate that is taken for noise. */
  margin: number;
  /** Paired p-value below which a fall is taken for real. */
  significance: number;
};
export const PromotionGate: z.ZodType<PromotionGate> = z.object({
  minTasks: z.int().min(1),
  margin: z.number().min(0).max(1),
  significance: z.number().min(0).max(1),
});

// POST /v1/trainer/policies/:version/promote -> PolicyVersion (now stable; the earlier one retires).
// Refused with GATE_NOT_PASSED, PUBLICATION_STALE or LINEAGE_ROLLED_BACK.
// POST /v1/operator/policies/:version/promote { allowDescendant?, withoutEvaluation? } -> PolicyVersion
export type PromoteRequest = {
  /** Promote although an ancestor of the version was rolled back. */
  allowDescendant?: boolean | undefined;
  /** Promote although no evaluation passes the gate. */
  withoutEvaluation?: boolean | undefined;
  /** Promote although the version itself was rolled back. */
  rolledBack?: boolean | undefined;
  /** For the audit log. */
  reason?: string | undefined;
};
export const PromoteRequest: z.ZodType<PromoteRequest> = z.strictObject({
  allowDescendant: z.boolean().optional(),
  withoutEvaluation: z.boolean().optional(),
  rolledBack: z.boolean().optional(),
  reason: z.string().max(500).optional(),
});

/** Body of a roll-back; a call without one gives no reason. */
export type RollBackRequest = { reason?: string | undefined };
export const RollBackRequest: z.ZodType<RollBackRequest> = z.strictObject({
  reason: z.string().max(500).optional(),
});

// POST /v1/trainer/policies/:version/roll-back -> PolicyVersion (canary falls back to stable)
// GET  /v1/trainer/policies?since=<epoch> -> PoliciesResponse, newest first; with `since` only
// versions that changed after that epoch.
export type PoliciesResponse = {
  stable: PolicyVersionId;
  canary: PolicyVersionId;
  /** Grows with every change of a policy. */
  epoch: number;
  gate: PromotionGate;
  policies: PolicyVersion[];
};
export const PoliciesResponse: z.ZodType<PoliciesResponse> = z.object({
  stable: PolicyVersionId,
  canary: PolicyVersionId,
  epoch: z.int().min(0),
  gate: PromotionGate,
  policies: z.array(PolicyVersion),
});

// POST /v1/trainer/metrics { rows } -> {} ; one row an optimizer step, for the dashboard. Idempotent by step.
export type MetricsRow = { step: number; at: string; metrics: { [name: string]: number } };
export const MetricsRow: z.ZodType<MetricsRow> = z.strictObject({
  step: z.int().min(0),
  at: z.iso.datetime(),
  metrics: z.record(z.string().max(64), z.number()),
});
export type MetricsRequest = { rows: MetricsRow[] };
export const MetricsRequest: z.ZodType<MetricsRequest> = z.strictObject({
  rows: z.array(MetricsRow).max(1000),
});
