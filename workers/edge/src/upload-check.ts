/**
 * What must hold of an uploaded trajectory before anything is stored. A browser is not believed: the
 * digest is recomputed, token ids and versions are compared with what this edge knows, the assignment
 * with what it gave out.
 */
import {
  type TaskReference,
  type Trajectory,
  Trajectory as TrajectorySchema,
  TRAJECTORY_SCHEMA_VERSION,
  trajectoryDigest,
  WaggleError,
} from "@waggle/protocol";
import { describeIssues } from "./body.ts";
import type { KnownBaseModel } from "./policy-store.ts";

/** What this edge knows and a trajectory must agree with. */
export type Knowledge = {
  readonly baseModel: KnownBaseModel | null;
  readonly versions: ReadonlySet<number>;
  /** The assignments of this visitor by id, as far as the upload names them. */
  readonly assignments: ReadonlyMap<string, TaskReference>;
};

/** The trajectory in `value`. @throws WaggleError `SCHEMA_INVALID`, `SCHEMA_VERSION_UNSUPPORTED` */
export function parseTrajectory(value: unknown): Trajectory {
  const version =
    typeof value === "object" && value !== null && "schemaVersion" in value
      ? value.schemaVersion
      : undefined;
  if (typeof version === "number" && version !== TRAJECTORY_SCHEMA_VERSION) {
    throw new WaggleError(
      "SCHEMA_VERSION_UNSUPPORTED",
      `schemaVersion must be ${TRAJECTORY_SCHEMA_VERSION}, got another; update the page`,
    );
  }
  const parsed = TrajectorySchema.safeParse(value);
  if (!parsed.success) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `a trajectory must fit its schema, got ${describeIssues(parsed.error)}; see /openapi.json`,
    );
  }
  return parsed.data;
}

/** @throws WaggleError `DIGEST_MISMATCH` */
export async function checkDigest(trajectory: Trajectory, digest: string): Promise<void> {
  if ((await trajectoryDigest(trajectory)) !== digest) {
    throw new WaggleError(
      "DIGEST_MISMATCH",
      "the digest must be that of the canonical trajectory, got another; compute it after the last edit",
    );
  }
}

function checkConsent({ consent }: Trajectory): void {
  if (!consent.scopes.includes("collect") || !consent.scopes.includes("train")) {
    throw new WaggleError(
      "CONSENT_MISSING",
      "consent must cover collect and train, got less; ask the visitor",
    );
  }
}

function checkPolicy(trajectory: Trajectory, { baseModel, versions }: Knowledge): void {
  if (baseModel?.reference.sha256 !== trajectory.baseModel) {
    throw new WaggleError(
      "POLICY_VERSION_UNKNOWN",
      "the base model must be this edge's, got another",
    );
  }
  const sampled = trajectory.segments.filter((segment) => segment.kind === "sampled");
  for (const version of [trajectory.policyVersion, ...sampled.map((s) => s.policyVersion)]) {
    if (!versions.has(version)) {
      throw new WaggleError(
        "POLICY_VERSION_UNKNOWN",
        `a policy version must be published, got ${version}`,
      );
    }
  }
  const first = sampled[0];
  if (first && first.policyVersion !== trajectory.policyVersion) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      "policyVersion must be that of the first sampled segment, got another",
    );
  }
  const size = baseModel.vocabularySize;
  for (const segment of trajectory.segments) {
    const kept = segment.kind === "sampled" ? (segment.keptTokenIds ?? []) : [];
    const inside =
      segment.tokenIds.every((id) => id < size) &&
      kept.every((ids) => ids === null || ids.every((id) => id < size));
    if (!inside) {
      throw new WaggleError(
        "SCHEMA_INVALID",
        `token ids must be below the vocabulary size ${size}, got a greater one`,
      );
    }
  }
}

/** Where the trainer has not said how long a context may be. */
const UNKNOWN_CONTEXT_LENGTH = 131_072;

/** No path may be longer than the context it was sampled in; no kept set larger than its top-k. */
function checkLengths({ segments }: Trajectory, { baseModel }: Knowledge): void {
  const most = baseModel?.contextLength ?? UNKNOWN_CONTEXT_LENGTH;
  const lengths = new Map<string, number>();
  for (const segment of segments) {
    const above = segment.parent === null ? 0 : (lengths.get(segment.parent) ?? 0);
    const length = above + segment.tokenIds.length;
    if (length > most) {
      throw new WaggleError(
        "SCHEMA_INVALID",
        `a path of this trajectory has ${length} tokens; the context of the base model has ${most}`,
      );
    }
    lengths.set(segment.id, length);
    if (segment.kind === "given" || segment.sampling.topK === 0) continue;
    const { topK } = segment.sampling;
    const largest = segment.keptTokenIds?.find((ids) => ids !== null && ids.length > topK);
    if (largest) {
      throw new WaggleError(
        "SCHEMA_INVALID",
        `a kept set has ${largest.length} ids; sampling kept the top ${topK}`,
      );
    }
  }
}

function checkAssignment({ assignmentId, task }: Trajectory, { assignments }: Knowledge): void {
  const assigned = assignmentId === null ? null : assignments.get(assignmentId);
  const fits =
    assigned === null
      ? task === null
      : assigned !== undefined &&
        task !== null &&
        task.environment === assigned.environment &&
        task.seed === assigned.seed &&
        task.split === assigned.split;
  if (!fits) throw assignmentMismatch();
}

export function assignmentMismatch(): WaggleError {
  return new WaggleError(
    "ASSIGNMENT_MISMATCH",
    "a task must come from an unused assignment of this visitor, got another; ask for an assignment",
  );
}

/** Everything that can be said of a trajectory without storing it. @throws WaggleError */
export function checkTrajectory(trajectory: Trajectory, knowledge: Knowledge): void {
  checkConsent(trajectory);
  checkPolicy(trajectory, knowledge);
  checkLengths(trajectory, knowledge);
  checkAssignment(trajectory, knowledge);
}
