/**
 * The edge Worker's HTTP interface for pages, as schemas that both sides share. Paths are under `/v1`.
 * Pages authenticate with `Authorization: Bearer <session token>`. A failed request gets a 4xx or 5xx
 * status and an `ErrorBody`.
 */
import { z } from "zod";
import { UPLOAD_LIMITS } from "./constants.ts";
import { Feedback } from "./feedback.ts";
import { Perturbation } from "./perturbation.ts";
import { PolicyVersionId } from "./policy.ts";
import { Channel, Sha256 } from "./policy-version.ts";
import { TaskReference } from "./task.ts";
import { Trajectory } from "./trajectory.ts";

/** Body of a failed request. It never echoes the payload that caused the failure. */
export type ErrorBody = z.infer<typeof ErrorBody>;
export const ErrorBody = z.object({
  error: z.object({ code: z.string(), message: z.string() }),
});

/** Body of `POST /v1/sessions`. No authentication; the site key is public. */
export type SessionRequest = z.infer<typeof SessionRequest>;
export const SessionRequest = z.strictObject({
  siteKey: z.string().min(1).max(128),
  /** Long-lived token from an earlier session; proves that this is the same visitor. */
  visitorToken: z.string().min(1).max(2048).optional(),
  /** Whether the visitor consented. `false`: the id lasts for this visit and nothing is stored under it. Default true. */
  remember: z.boolean().optional(),
});
/** Answer of `POST /v1/sessions`. */
export type SessionResponse = z.infer<typeof SessionResponse>;
export const SessionResponse = z.object({
  token: z.string(),
  /** ISO 8601. Request a new session before this time. */
  expiresAt: z.iso.datetime(),
  visitorId: z.uuid(),
  /** Identifies this visitor in the next session. Without consent, a page keeps it in memory only. */
  visitorToken: z.string(),
  channel: Channel,
  /**
   * Sampling seeds for the visitor's next own requests, to be used in this order. Absent without consent, and from an edge of
   * the previous release.
   */
  requestSeeds: z.array(z.int().min(0).max(0xffff_ffff)).optional(),
});

// GET /v1/policy (session): the manifest of the session's channel, with an ETag. Body: PolicyManifest.
// GET /v1/policies/:channel (no authentication): the manifest of a channel. Body: PolicyManifest.
// GET /v1/objects/:sha256 (no authentication): model files and adapters, immutable.

/**
 * Answer of `POST /v1/assignments` (session). The edge chooses the task and the group. The answer is
 * 204 with `Retry-After` while the maximum number of groups already waits for the trainer.
 */
export type AssignmentResponse = z.infer<typeof AssignmentResponse>;
export const AssignmentResponse = z.object({
  assignmentId: z.uuid(),
  groupId: z.uuid(),
  task: TaskReference,
  /**
   * The seed to sample this rollout with; the trajectory names it. Every rollout of a group has another one. Absent from an
   * edge of the previous release.
   */
  samplingSeed: z.int().min(0).max(0xffff_ffff).optional(),
  /** Present if the site collects rewards only: the policy to work on this task with. */
  perturbation: Perturbation.optional(),
});

const uploadOf = <T extends z.ZodType>(trajectory: T) =>
  z.strictObject({
    trajectories: z
      .array(z.strictObject({ digest: Sha256, trajectory }))
      .min(1)
      .max(UPLOAD_LIMITS.trajectories),
  });
/** Body of `POST /v1/trajectories` (session). `Content-Encoding: gzip` is accepted. */
export type UploadRequest = z.infer<typeof UploadRequest>;
export const UploadRequest = uploadOf(Trajectory);
/** The same body before its trajectories are checked. The edge checks them one by one. */
export type UploadEnvelope = z.infer<typeof UploadEnvelope>;
export const UploadEnvelope = uploadOf(z.unknown());
/** Result for one trajectory. `duplicate`: this visitor uploaded the same digest before, a success. */
export type UploadResult = z.infer<typeof UploadResult>;
const UploadResult = z.union([
  z.object({ digest: z.string(), status: z.enum(["accepted", "duplicate"]) }),
  z.object({
    digest: z.string(),
    status: z.literal("rejected"),
    code: z.string(),
    message: z.string(),
  }),
]);
/** Answer of `POST /v1/trajectories`: one result per uploaded trajectory. */
export type UploadResponse = z.infer<typeof UploadResponse>;
export const UploadResponse = z.object({
  results: z.array(UploadResult),
});

/** Body of `POST /v1/feedback` (session). Idempotent by feedback id. */
export const FeedbackRequest = Feedback;

// POST /v1/visitor/outcomes (session): one outcome of the visitor's own trajectory. Body: Outcome.

// GET /v1/visitor?after= (session): a page of what is stored of this visitor, as JSON lines with a `kind`. The first line of
// the first page counts `trajectories`, `feedback` and `outcomes`; the last line of a page is `next`, with `after`, or `end`.

/** Answer of `DELETE /v1/visitor` (session), which deletes all data of this visitor. */
export type DeletionResponse = z.infer<typeof DeletionResponse>;
export const DeletionResponse = z.object({
  deletedTrajectories: z.int(),
  deletedFeedback: z.int(),
  /** Absent from an edge of the previous release. */
  deletedOutcomes: z.int().optional(),
  /** Policy versions that were trained on the deleted trajectories. */
  learnedBy: z.array(PolicyVersionId),
});
