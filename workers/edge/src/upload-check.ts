/**
 * Checks of an uploaded trajectory before anything is stored. The browser is not trusted: the digest is
 * recomputed, token ids and versions are compared with those that this edge knows, and the assignment with
 * the one that it gave out.
 */
import {
  type CollectionLevel,
  isConsentCurrent,
  isObject,
  isStatistics,
  otherSeedAt,
  type StoredReceipt,
  type TaskReference,
  type Trajectory,
  Trajectory as TrajectorySchema,
  TRAJECTORY_SCHEMA_VERSION,
  trajectoryDigest,
  WaggleError,
} from "@waggle/protocol";
import { describeIssues } from "./body.ts";
import type { KnownBaseModel } from "./policy-store.ts";
import { requireReceipt } from "./visitors/consent-receipts.ts";

/** Facts of this edge that a trajectory must agree with. */
export type Knowledge = {
  readonly baseModel: KnownBaseModel | null;
  readonly versions: ReadonlySet<number>;
  /** This visitor's assignments that the upload names, by id. */
  readonly assignments: ReadonlyMap<string, AssignedTask>;
  /** Of this visitor. */
  readonly receipts: readonly StoredReceipt[];
  readonly site: SiteRules;
};

/** What a site collects, and for how long a consent holds. */
export type SiteRules = {
  readonly consentDays: number;
  readonly level: CollectionLevel;
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** An assigned task and the seed that was given with it; `null` if an earlier release assigned it. */
export type AssignedTask = TaskReference & { readonly samplingSeed: number | null };

/** Parses a trajectory. @throws WaggleError `SCHEMA_INVALID`, `SCHEMA_VERSION_UNSUPPORTED` */
export function parseTrajectory(value: unknown): Trajectory {
  const version = isObject(value) ? value["schemaVersion"] : undefined;
  if (typeof version === "number" && version !== TRAJECTORY_SCHEMA_VERSION) {
    throw new WaggleError(
      "SCHEMA_VERSION_UNSUPPORTED",
      `this schemaVersion is not supported; the edge accepts ${TRAJECTORY_SCHEMA_VERSION} (update the page)`,
    );
  }
  const parsed = TrajectorySchema.safeParse(value);
  if (!parsed.success) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      `the trajectory does not match its schema: ${describeIssues(parsed.error)} (see /openapi.json)`,
    );
  }
  return parsed.data;
}

/** @throws WaggleError `DIGEST_MISMATCH` */
export async function checkDigest(trajectory: Trajectory, digest: string): Promise<void> {
  if ((await trajectoryDigest(trajectory)) !== digest) {
    throw new WaggleError(
      "DIGEST_MISMATCH",
      "the digest is not that of the canonical trajectory; compute it after the last edit",
    );
  }
}

function checkConsent({ consent, assignmentId }: Trajectory, { site }: Knowledge): void {
  const { scopes, choices } = consent;
  // Without choices there is one question, about both. Practice tasks are only for training.
  const needsTraining = choices !== true || assignmentId !== null;
  if (!scopes.includes("collect") || (needsTraining && !scopes.includes("train"))) {
    throw new WaggleError(
      "CONSENT_MISSING",
      needsTraining
        ? "the consent does not cover collecting and training; ask the visitor for consent"
        : "the consent does not cover collecting; ask the visitor for consent",
    );
  }
  if (isConsentCurrent(consent, site.consentDays, site.now)) return;
  throw new WaggleError(
    "CONSENT_MISSING",
    `the consent was not given in the last ${site.consentDays} days; ask the visitor again`,
  );
}

/**
 * Pages of the previous release ask for no receipt. They may still send practice tasks, which are the site's own and have no
 * text of the visitor.
 * @throws WaggleError `CONSENT_UNPROVEN`, `CONSENT_MISSING`
 */
export function checkReceipt({ consent, assignmentId }: Trajectory, { receipts }: Knowledge): void {
  if (assignmentId !== null && receipts.length === 0) return;
  requireReceipt(receipts, consent);
}

/** Practice tasks are the site's own, so they may be recorded in full. */
function checkLevel(trajectory: Trajectory, { site }: Knowledge): void {
  if (site.level === "rewards") {
    throw new WaggleError(
      "FORBIDDEN",
      "this site collects rewards only, and this is a trajectory; reload the page",
    );
  }
  if (site.level === "full" || trajectory.assignmentId !== null) return;
  if (isStatistics(trajectory)) return;
  throw new WaggleError(
    "FORBIDDEN",
    "this site collects statistics only, and this record has tokens or text; reload the page",
  );
}

function checkPolicy(trajectory: Trajectory, { baseModel, versions }: Knowledge): void {
  if (baseModel?.reference.sha256 !== trajectory.baseModel) {
    throw new WaggleError(
      "POLICY_VERSION_UNKNOWN",
      "this trajectory was sampled from a base model other than this edge's",
    );
  }
  const sampled = trajectory.segments.filter((segment) => segment.kind === "sampled");
  for (const version of [trajectory.policyVersion, ...sampled.map((s) => s.policyVersion)]) {
    if (!versions.has(version)) {
      throw new WaggleError(
        "POLICY_VERSION_UNKNOWN",
        `policy version ${version} was never published`,
      );
    }
  }
  const first = sampled[0];
  if (first && first.policyVersion !== trajectory.policyVersion) {
    throw new WaggleError(
      "SCHEMA_INVALID",
      "policyVersion is not that of the first sampled segment",
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
        `a token id is not below the vocabulary size, ${size}`,
      );
    }
  }
}

/** Context length to assume if the trainer has not reported it. */
const UNKNOWN_CONTEXT_LENGTH = 131_072;

/** No path may exceed the context length, and no kept set its top-k. */
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

/** The error for a task without a matching assignment. */
export function assignmentMismatch(): WaggleError {
  return new WaggleError(
    "ASSIGNMENT_MISMATCH",
    "this task has no unused assignment of this visitor; request an assignment",
  );
}

/**
 * An assigned trajectory that names a seed must have been given it. Every trajectory that names one must have sampled all its
 * segments with it. Whether a visitor's own request was given its seed is decided when it is stored.
 */
function checkSeed(trajectory: Trajectory, { assignments }: Knowledge): void {
  const { samplingSeed, assignmentId } = trajectory;
  if (samplingSeed === undefined) return;
  if (assignmentId !== null && samplingSeed !== assignments.get(assignmentId)?.samplingSeed) {
    throw new WaggleError(
      "SEED_MISMATCH",
      "samplingSeed is not the seed that was given with this assignment; leave it out if there was none",
    );
  }
  const wrong = otherSeedAt(trajectory);
  if (wrong === null) return;
  throw new WaggleError(
    "SEED_MISMATCH",
    `sampled segment ${wrong} has a seed that is not spanSeed(samplingSeed, ${wrong}); sample with the given seed`,
  );
}

/** Runs every check of the record alone. @throws WaggleError */
export function checkTrajectory(trajectory: Trajectory, knowledge: Knowledge): void {
  checkConsent(trajectory, knowledge);
  checkLevel(trajectory, knowledge);
  checkPolicy(trajectory, knowledge);
  checkLengths(trajectory, knowledge);
  checkAssignment(trajectory, knowledge);
  checkSeed(trajectory, knowledge);
}
