/**
 * Published policies and their channels. A channel is a status: at most one version is stable and at
 * most one canary; without a canary that channel serves the stable version. Changes are made one at a
 * time by the Coordinator; reading needs no order.
 */
import {
  AdapterReference,
  BaseModelReference,
  type BaseModelRequest,
  type Channel,
  EvaluationResult,
  GuidanceReference,
  type PoliciesResponse,
  type PolicyManifest,
  type PolicyStatus,
  type PolicyVersion,
  type PublishRequest,
  WaggleError,
} from "@waggle/protocol";

type PolicyRow = {
  version: number;
  parent: number | null;
  baseModel: string;
  adapter: string | null;
  guidance: string | null;
  status: PolicyStatus;
  evaluation: string | null;
  step: number;
  publishedAt: string;
};

const COLUMNS =
  "version, parent, baseModel, adapter, guidance, status, evaluation, step, publishedAt";

function toPolicy({ guidance, ...row }: PolicyRow): PolicyVersion {
  return {
    ...row,
    ...(guidance === null ? {} : { guidance: GuidanceReference.parse(JSON.parse(guidance)) }),
    adapter: row.adapter === null ? null : AdapterReference.parse(JSON.parse(row.adapter)),
    evaluation: row.evaluation === null ? null : EvaluationResult.parse(JSON.parse(row.evaluation)),
  };
}

export type KnownBaseModel = {
  readonly reference: BaseModelReference;
  readonly vocabularySize: number;
};

/** The base model of this installation, `null` before the trainer has said it. */
export async function findBaseModel(db: D1Database): Promise<KnownBaseModel | null> {
  const row = await db
    .prepare("SELECT reference, vocabularySize FROM baseModel")
    .first<{ reference: string; vocabularySize: number }>();
  return (
    row && {
      reference: BaseModelReference.parse(JSON.parse(row.reference)),
      vocabularySize: row.vocabularySize,
    }
  );
}

/** Every version that was ever published. */
export async function knownVersions(db: D1Database): Promise<Set<number>> {
  const { results } = await db.prepare("SELECT version FROM policies").all<{ version: number }>();
  return new Set(results.map((row) => row.version));
}

/** All policies, newest first. @throws WaggleError `NOT_FOUND` before there is a base model */
export async function listPolicies(db: D1Database): Promise<PoliciesResponse> {
  const { results } = await db
    .prepare(`SELECT ${COLUMNS} FROM policies ORDER BY version DESC`)
    .all<PolicyRow>();
  const policies = results.map(toPolicy);
  const stable = policies.find((policy) => policy.status === "stable");
  if (!stable) throw noBaseModel();
  const canary = policies.find((policy) => policy.status === "canary") ?? stable;
  return { stable: stable.version, canary: canary.version, policies };
}

/** What pages of a channel run. @throws WaggleError `NOT_FOUND` before there is a base model */
export async function manifestOf(db: D1Database, channel: Channel): Promise<PolicyManifest> {
  const statuses = channel === "canary" ? "('canary', 'stable')" : "('stable')";
  const [base, row] = await Promise.all([
    findBaseModel(db),
    db
      .prepare(
        `SELECT ${COLUMNS} FROM policies WHERE status IN ${statuses}
         ORDER BY status = 'canary' DESC LIMIT 1`,
      )
      .first<PolicyRow>(),
  ]);
  if (!base || !row) throw noBaseModel();
  return { channel, policy: toPolicy(row), baseModel: base.reference };
}

function noBaseModel(): WaggleError {
  return new WaggleError(
    "NOT_FOUND",
    "a base model must be set before policies are asked for, got none; start the trainer",
    { retryable: true },
  );
}

async function findPolicy(db: D1Database, version: number): Promise<PolicyVersion> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM policies WHERE version = ?1`)
    .bind(version)
    .first<PolicyRow>();
  if (!row) {
    throw new WaggleError("NOT_FOUND", `a policy must be published, got version ${version}`);
  }
  return toPolicy(row);
}

/**
 * Sets what version 0 is; again with the same model is a success.
 * @throws WaggleError `CONFLICT` once something was learned or collected with another one
 */
export async function setBaseModel(
  db: D1Database,
  request: BaseModelRequest,
  now: number,
): Promise<void> {
  const known = await findBaseModel(db);
  if (known?.reference.sha256 === request.baseModel.sha256) return;
  const used = await db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM policies WHERE version > 0)
           OR EXISTS (SELECT 1 FROM trajectories) AS used`,
    )
    .first<{ used: number }>();
  if (known && used?.used === 1) {
    throw new WaggleError(
      "CONFLICT",
      "an installation has one base model, got another one; use a fresh database",
    );
  }
  const { baseModel, vocabularySize } = request;
  await db.batch([
    db
      .prepare(
        `INSERT OR REPLACE INTO baseModel (slot, sha256, reference, vocabularySize)
         VALUES (1, ?1, ?2, ?3)`,
      )
      .bind(baseModel.sha256, JSON.stringify(baseModel), vocabularySize),
    db
      .prepare(
        `INSERT OR REPLACE INTO policies (version, baseModel, status, step, publishedAt, promotedAt)
         VALUES (0, ?1, 'stable', 0, ?2, ?3)`,
      )
      .bind(baseModel.sha256, new Date(now).toISOString(), now),
  ]);
}

/** Publishes to the canary channel; an earlier canary is taken back. @throws WaggleError `CONFLICT` */
export async function publishPolicy(
  db: D1Database,
  request: PublishRequest,
  now: number,
): Promise<PolicyVersion> {
  const { policies } = await listPolicies(db);
  const existing = policies.find((policy) => policy.version === request.version);
  if (existing) {
    const isSame =
      existing.adapter?.sha256 === request.adapter?.sha256 &&
      existing.guidance?.sha256 === request.guidance?.sha256;
    if (isSame) return existing;
    throw new WaggleError(
      "CONFLICT",
      `a version has one adapter and one guidance, got another for version ${request.version}; publish the next version`,
    );
  }
  const base = await findBaseModel(db);
  if (base?.reference.sha256 !== request.baseModel) {
    throw new WaggleError("CONFLICT", "a policy must be trained from this base model, got another");
  }
  if (!policies.some((policy) => policy.version === request.parent)) {
    throw new WaggleError("CONFLICT", `a parent must be published, got version ${request.parent}`);
  }
  await db.batch([
    // Never promoted, so it is taken back: "retired" is kept for what was stable once.
    db.prepare("UPDATE policies SET status = 'rolled-back' WHERE status = 'canary'"),
    db
      .prepare(
        `INSERT INTO policies (version, parent, baseModel, adapter, guidance, status, evaluation, step, publishedAt)
         VALUES (?1, ?2, ?3, ?4, ?5, 'canary', ?6, ?7, ?8)`,
      )
      .bind(
        request.version,
        request.parent,
        request.baseModel,
        request.adapter === null ? null : JSON.stringify(request.adapter),
        request.guidance === undefined ? null : JSON.stringify(request.guidance),
        request.evaluation === null ? null : JSON.stringify(request.evaluation),
        request.step,
        new Date(now).toISOString(),
      ),
  ]);
  return findPolicy(db, request.version);
}

/** Makes the canary stable. @throws WaggleError `NOT_FOUND`, `CONFLICT` when it is not the canary */
export async function promotePolicy(
  db: D1Database,
  version: number,
  now: number,
): Promise<PolicyVersion> {
  const policy = await findPolicy(db, version);
  if (policy.status === "stable") return policy;
  if (policy.status !== "canary") {
    throw new WaggleError(
      "CONFLICT",
      `only the canary can be promoted, got version ${version}, which is ${policy.status}`,
    );
  }
  await db.batch([
    db.prepare("UPDATE policies SET status = 'retired' WHERE status = 'stable'"),
    db
      .prepare("UPDATE policies SET status = 'stable', promotedAt = ?2 WHERE version = ?1")
      .bind(version, now),
  ]);
  return findPolicy(db, version);
}

/**
 * Takes a version back. The canary channel falls back to stable; a stable version falls back to the
 * one that was promoted before it.
 * @throws WaggleError `NOT_FOUND`, `CONFLICT` for the base itself
 */
export async function rollBackPolicy(db: D1Database, version: number): Promise<PolicyVersion> {
  const policy = await findPolicy(db, version);
  if (policy.status === "rolled-back") return policy;
  if (version === 0) {
    throw new WaggleError("CONFLICT", "the base cannot be rolled back, got version 0");
  }
  const takeBack = db
    .prepare("UPDATE policies SET status = 'rolled-back' WHERE version = ?1")
    .bind(version);
  const fallBack = db.prepare(
    `UPDATE policies SET status = 'stable'
     WHERE version = (SELECT version FROM policies WHERE status = 'retired' AND promotedAt IS NOT NULL
                      ORDER BY promotedAt DESC, version DESC LIMIT 1)`,
  );
  await db.batch(policy.status === "stable" ? [takeBack, fallBack] : [takeBack]);
  return findPolicy(db, version);
}
