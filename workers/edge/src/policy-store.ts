/**
 * Published policies and their channels. A channel is a status: at most one version is stable and at
 * most one canary; without a canary that channel serves the stable version. Changes are in
 * `policy-changes.ts`.
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
  type PromotionGate,
  WaggleError,
} from "@waggle/protocol";

export type PolicyRow = {
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

/** Of a `PolicyRow`. */
export const COLUMNS: string =
  "version, parent, baseModel, adapter, guidance, status, evaluation, step, publishedAt";

export function toPolicy({ guidance, ...row }: PolicyRow): PolicyVersion {
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
  /** `null` where the trainer did not say it. */
  readonly contextLength: number | null;
};

/** The base model of this installation, `null` before the trainer has said it. */
export async function findBaseModel(db: D1Database): Promise<KnownBaseModel | null> {
  const row = await db
    .prepare("SELECT reference, vocabularySize, contextLength FROM baseModel")
    .first<{ reference: string; vocabularySize: number; contextLength: number | null }>();
  return (
    row && {
      reference: BaseModelReference.parse(JSON.parse(row.reference)),
      vocabularySize: row.vocabularySize,
      contextLength: row.contextLength,
    }
  );
}

/** Versions in one list. An older one is asked for by its number. */
const LISTED_VERSIONS = 250;

/** Those of `versions` that were published. */
export async function publishedAmong(
  db: D1Database,
  versions: readonly number[],
): Promise<Set<number>> {
  const { results } = await db
    .prepare("SELECT version FROM policies WHERE version IN (SELECT value FROM json_each(?1))")
    .bind(JSON.stringify([...new Set(versions)]))
    .all<{ version: number }>();
  return new Set(results.map((row) => row.version));
}

export type PolicyHead = {
  readonly stable: number;
  readonly canary: number;
  readonly newest: number;
  /** Changes of policies so far. */
  readonly epoch: number;
};

/** Where the channels stand. @throws WaggleError `NOT_FOUND` before there is a base model */
export async function policyHead(db: D1Database): Promise<PolicyHead> {
  const head = await db
    .prepare(
      `SELECT (SELECT version FROM policies WHERE status = 'stable') AS stable,
              (SELECT version FROM policies WHERE status = 'canary') AS canary,
              (SELECT MAX(version) FROM policies) AS newest,
              (SELECT value FROM counters WHERE name = 'policyEpoch') AS epoch`,
    )
    .first<{ stable: number | null; canary: number | null; newest: number; epoch: number }>();
  if (!head || head.stable === null) throw noBaseModel();
  return { ...head, stable: head.stable, canary: head.canary ?? head.stable };
}

/**
 * The newest policies and those that are served, newest first.
 * @param since only those that changed after this epoch
 * @throws WaggleError `NOT_FOUND` before there is a base model
 */
export async function listPolicies(
  db: D1Database,
  gate: PromotionGate,
  since?: number,
): Promise<PoliciesResponse> {
  // Read first: a change between the two reads is then read again, never missed.
  const { stable, canary, epoch } = await policyHead(db);
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM policies
       WHERE version IN (?1, ?2)
          OR version IN (SELECT version FROM policies WHERE changedAt > ?3
                         ORDER BY changedAt DESC, version DESC LIMIT ${LISTED_VERSIONS})
       ORDER BY version DESC`,
    )
    .bind(stable, canary, since ?? -1)
    .all<PolicyRow>();
  return { stable, canary, epoch, gate, policies: results.map(toPolicy) };
}

/** What pages of a channel run. @throws WaggleError `NOT_FOUND` before there is a base model */
export function manifestOf(db: D1Database, channel: Channel): Promise<PolicyManifest> {
  const statuses = channel === "canary" ? "('canary', 'stable')" : "('stable')";
  return manifestWhere(db, channel, `status IN ${statuses} ORDER BY status = 'canary' DESC`);
}

/** The base model without a trained policy. @throws WaggleError `NOT_FOUND` as `manifestOf` */
export function baseManifest(db: D1Database, channel: Channel): Promise<PolicyManifest> {
  return manifestWhere(db, channel, "version = 0");
}

async function manifestWhere(
  db: D1Database,
  channel: Channel,
  condition: string,
): Promise<PolicyManifest> {
  const [base, row] = await Promise.all([
    findBaseModel(db),
    db.prepare(`SELECT ${COLUMNS} FROM policies WHERE ${condition} LIMIT 1`).first<PolicyRow>(),
  ]);
  if (!base || !row) throw noBaseModel();
  return { channel, policy: forPages(toPolicy(row)), baseModel: base.reference };
}

/** Pages of the previous release reject an evaluation with members that they do not know. */
function forPages(policy: PolicyVersion): PolicyVersion {
  if (policy.evaluation === null) return policy;
  const { tasks, successes, stableSuccesses } = policy.evaluation;
  return { ...policy, evaluation: { tasks, successes, stableSuccesses } };
}

function noBaseModel(): WaggleError {
  return new WaggleError("NOT_FOUND", "there is no base model yet; start the trainer", {
    retryable: true,
  });
}

/** @throws WaggleError `NOT_FOUND` */
export async function findPolicy(db: D1Database, version: number): Promise<PolicyVersion> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM policies WHERE version = ?1`)
    .bind(version)
    .first<PolicyRow>();
  if (!row) {
    throw new WaggleError("NOT_FOUND", `version ${version} was never published`);
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
  const { baseModel, vocabularySize, contextLength = null } = request;
  if (known?.reference.sha256 === baseModel.sha256) {
    // An installation of an earlier release learns it from the next start of its trainer.
    if (contextLength !== null && known.contextLength !== contextLength) {
      await db.prepare("UPDATE baseModel SET contextLength = ?1").bind(contextLength).run();
    }
    return;
  }
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
  await db.batch([
    db
      .prepare(
        `INSERT OR REPLACE INTO baseModel (slot, sha256, reference, vocabularySize, contextLength)
         VALUES (1, ?1, ?2, ?3, ?4)`,
      )
      .bind(baseModel.sha256, JSON.stringify(baseModel), vocabularySize, contextLength),
    db
      .prepare(
        `INSERT OR REPLACE INTO policies (version, baseModel, status, step, publishedAt, promotedAt)
         VALUES (0, ?1, 'stable', 0, ?2, ?3)`,
      )
      .bind(baseModel.sha256, new Date(now).toISOString(), now),
  ]);
}
