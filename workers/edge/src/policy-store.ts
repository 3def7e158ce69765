/**
 * Published policies and their channels. A channel is a status: at most one version is stable and at most one
 * is canary. Without a canary, that channel serves the stable version. For changes, see `policy-changes.ts`.
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
  PolicySignature,
  type PolicyStatus,
  type PolicyVersion,
  type PromotionGate,
  WaggleError,
} from "@waggle/protocol";
import { runningShare } from "./releases/release-store.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

/** A row of `policies`, with JSON columns as text. */
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

/** The columns of a `PolicyRow`. */
export const COLUMNS: string =
  "version, parent, baseModel, adapter, guidance, status, evaluation, step, publishedAt";

/** Parses a row. */
export function toPolicy({ guidance, ...row }: PolicyRow): PolicyVersion {
  return {
    ...row,
    ...(guidance === null ? {} : { guidance: GuidanceReference.parse(JSON.parse(guidance)) }),
    adapter: row.adapter === null ? null : AdapterReference.parse(JSON.parse(row.adapter)),
    evaluation: row.evaluation === null ? null : EvaluationResult.parse(JSON.parse(row.evaluation)),
  };
}

/** The base model of this site. */
export type KnownBaseModel = {
  readonly reference: BaseModelReference;
  readonly vocabularySize: number;
  /** `null` if the trainer did not report it. */
  readonly contextLength: number | null;
};

/** The base model of this site; `null` before the trainer has registered it. */
export async function findBaseModel(db: SiteDatabase): Promise<KnownBaseModel | null> {
  const row = await db
    .prepare("SELECT reference, vocabularySize, contextLength FROM baseModel WHERE site = ?site")
    .bind()
    .first<{ reference: string; vocabularySize: number; contextLength: number | null }>();
  return (
    row && {
      reference: BaseModelReference.parse(JSON.parse(row.reference)),
      vocabularySize: row.vocabularySize,
      contextLength: row.contextLength,
    }
  );
}

/** Versions in one list. Older ones can be requested by number. */
const LISTED_VERSIONS = 250;

/** The published ones among `versions`. */
export async function publishedAmong(
  db: SiteDatabase,
  versions: readonly number[],
): Promise<Set<number>> {
  const { results } = await db
    .prepare(
      `SELECT p.version FROM json_each(?1) AS v
       CROSS JOIN policies p ON p.site = ?site AND p.version = v.value`,
    )
    .bind(JSON.stringify([...new Set(versions)]))
    .all<{ version: number }>();
  return new Set(results.map((row) => row.version));
}

/** The versions of the channels, the newest version, and the epoch. */
export type PolicyHead = {
  readonly stable: number;
  readonly canary: number;
  readonly newest: number;
  /** Number of policy changes so far. */
  readonly epoch: number;
};

/** The current versions of the channels. @throws WaggleError `NOT_FOUND` before there is a base model */
export async function policyHead(db: SiteDatabase): Promise<PolicyHead> {
  const head = await db
    .prepare(
      `SELECT (SELECT version FROM policies WHERE site = ?site AND status = 'stable') AS stable,
              (SELECT version FROM policies WHERE site = ?site AND status = 'canary') AS canary,
              (SELECT MAX(version) FROM policies WHERE site = ?site) AS newest,
              COALESCE((SELECT value FROM counters WHERE site = ?site AND name = 'policyEpoch'), 0)
                AS epoch`,
    )
    .bind()
    .first<{ stable: number | null; canary: number | null; newest: number; epoch: number }>();
  if (!head || head.stable === null) throw noBaseModel();
  return { ...head, stable: head.stable, canary: head.canary ?? head.stable };
}

/**
 * The newest policies and those that are served, newest first.
 * @param since only policies that changed after this epoch
 * @throws WaggleError `NOT_FOUND` before there is a base model
 */
export async function listPolicies(
  db: SiteDatabase,
  gate: PromotionGate,
  since?: number,
): Promise<PoliciesResponse> {
  // Read first, so that a change between the two reads is read again instead of missed.
  const { stable, canary, epoch, newest } = await policyHead(db);
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM policies
       WHERE site = ?site AND version IN
         (SELECT ?1 UNION SELECT ?2
          UNION SELECT version FROM
            (SELECT version FROM policies WHERE site = ?site AND changedAt > ?3
             ORDER BY changedAt DESC, version DESC LIMIT ${LISTED_VERSIONS}))
       ORDER BY version DESC`,
    )
    .bind(stable, canary, since ?? -1)
    .all<PolicyRow>();
  const release = await runningShare(db);
  return { stable, canary, epoch, newest, gate, release, policies: results.map(toPolicy) };
}

/** The manifest for pages of a channel, with its signature if it has one. @throws WaggleError `NOT_FOUND` before there is a base model */
export function manifestOf(db: SiteDatabase, channel: Channel): Promise<PolicyManifest> {
  const statuses = channel === "canary" ? "('canary', 'stable')" : "('stable')";
  return manifestWhere(db, channel, `status IN ${statuses} ORDER BY status = 'canary' DESC`);
}

/** The base model without a trained policy. @throws WaggleError `NOT_FOUND` like `manifestOf` */
export function baseManifest(db: SiteDatabase, channel: Channel): Promise<PolicyManifest> {
  return manifestWhere(db, channel, "version = 0");
}

async function manifestWhere(
  db: SiteDatabase,
  channel: Channel,
  condition: string,
): Promise<PolicyManifest> {
  const [base, row] = await Promise.all([
    findBaseModel(db),
    db
      .prepare(
        `SELECT ${COLUMNS}, signature FROM policies WHERE site = ?site AND ${condition} LIMIT 1`,
      )
      .bind()
      .first<PolicyRow & { signature: string | null }>(),
  ]);
  if (!base || !row) throw noBaseModel();
  const { signature, ...policy } = row;
  return {
    channel,
    policy: forPages(toPolicy(policy)),
    baseModel: base.reference,
    ...(signature === null ? {} : { signature: PolicySignature.parse(JSON.parse(signature)) }),
  };
}

/** Drops members of the evaluation that pages of the previous release would reject. */
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
export async function findPolicy(db: SiteDatabase, version: number): Promise<PolicyVersion> {
  const row = await db
    .prepare(`SELECT ${COLUMNS} FROM policies WHERE site = ?site AND version = ?1`)
    .bind(version)
    .first<PolicyRow>();
  if (!row) {
    throw new WaggleError("NOT_FOUND", `version ${version} was never published`);
  }
  return toPolicy(row);
}

/**
 * Registers the base model as version 0. Repeating it with the same model succeeds.
 * @throws WaggleError `CONFLICT` once anything was collected or learned with another model
 */
export async function setBaseModel(
  db: SiteDatabase,
  request: BaseModelRequest,
  now: number,
): Promise<void> {
  const known = await findBaseModel(db);
  const { baseModel, vocabularySize, contextLength = null } = request;
  const signature = request.signature === undefined ? null : JSON.stringify(request.signature);
  if (known?.reference.sha256 === baseModel.sha256) {
    await db
      .prepare(
        "UPDATE policies SET signature = COALESCE(?1, signature) WHERE site = ?site AND version = 0",
      )
      .bind(signature)
      .run();
    // An installation of an earlier release learns the context length at its trainer's next start.
    if (contextLength !== null && known.contextLength !== contextLength) {
      await db
        .prepare("UPDATE baseModel SET contextLength = ?1 WHERE site = ?site")
        .bind(contextLength)
        .run();
    }
    return;
  }
  const used = await db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM policies WHERE site = ?site AND version > 0)
           OR EXISTS (SELECT 1 FROM trajectories WHERE site = ?site) AS used`,
    )
    .bind()
    .first<{ used: number }>();
  if (known && used?.used === 1) {
    throw new WaggleError(
      "CONFLICT",
      "this site has another base model, and already has trajectories or later versions; create another site for the new model",
    );
  }
  await db.batch([
    db
      .prepare(
        `INSERT OR REPLACE INTO baseModel (site, sha256, reference, vocabularySize, contextLength)
         VALUES (?site, ?1, ?2, ?3, ?4)`,
      )
      .bind(baseModel.sha256, JSON.stringify(baseModel), vocabularySize, contextLength),
    db
      .prepare(
        `INSERT OR REPLACE INTO policies (site, version, baseModel, status, step, publishedAt, promotedAt, signature)
         VALUES (?site, 0, ?1, 'stable', 0, ?2, ?3, ?4)`,
      )
      .bind(baseModel.sha256, new Date(now).toISOString(), now, signature),
  ]);
}
