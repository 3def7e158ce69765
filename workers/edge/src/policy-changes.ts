/**
 * Policy changes: publish, promote, roll back. The Coordinator serializes them. Each change increments the
 * epoch, which fences publishers that have not seen it.
 */
import {
  type PolicyVersion,
  type PromoteRequest,
  type PromotionGate,
  type PublishRequest,
  WaggleError,
} from "@waggle/protocol";
import { auditStatement, type Decision } from "./audit-log.ts";
import {
  COLUMNS,
  findBaseModel,
  findPolicy,
  type PolicyHead,
  policyHead,
  type PolicyRow,
  toPolicy,
} from "./policy-store.ts";
import { requirePassed } from "./promotion-gate.ts";
import type { StoredPlan } from "./releases/release-plan.ts";
import { endRelease, requireNoRelease, startRelease } from "./releases/release-store.ts";
import { requireNotFrozen } from "./switches.ts";
import { requireSignature } from "./signatures/signature-store.ts";
import type { SiteDatabase } from "./sites/site-database.ts";

const NEXT_EPOCH = `
  INSERT INTO counters (site, name, value) VALUES (?site, 'policyEpoch', 1)
  ON CONFLICT (site, name) DO UPDATE SET value = value + 1`;
/** The current epoch, for rows that the same batch changes. */
const EPOCH = "(SELECT value FROM counters WHERE site = ?site AND name = 'policyEpoch')";

type Ancestry = { status: string; descendsFrom: number | null; displacedBy: number | null };

async function findAncestry(db: SiteDatabase, version: number): Promise<Ancestry | null> {
  return db
    .prepare(
      "SELECT status, descendsFrom, displacedBy FROM policies WHERE site = ?site AND version = ?1",
    )
    .bind(version)
    .first<Ancestry>();
}

/** What a site requires of a publication. */
type PublicationRules = {
  readonly gate: PromotionGate;
  /** Of the release that a candidate starts if it passed the gate; `null` if the site releases at once. */
  readonly plan: StoredPlan | null;
  /** Without any, versions need no signature. */
  readonly publisherKeys: readonly string[];
};

/**
 * Publishes to the canary channel under the next version number, or records a candidate that failed. It
 * displaces an earlier canary. Repeating a publication returns the version from before.
 * @throws WaggleError `FROZEN`, `PUBLICATION_STALE`, `GATE_NOT_PASSED`, `LINEAGE_ROLLED_BACK`, `CONFLICT`, `RELEASE_RUNNING`,
 *   `SIGNATURE_INVALID`
 */
export async function publishPolicy(
  db: SiteDatabase,
  request: PublishRequest,
  { gate, plan, publisherKeys }: PublicationRules,
  decision: Decision,
): Promise<PolicyVersion> {
  const existing = await db
    .prepare(`SELECT ${COLUMNS} FROM policies WHERE site = ?site AND publicationId = ?1`)
    .bind(request.publicationId)
    .first<PolicyRow>();
  if (existing) return samePublication(toPolicy(existing), request);
  const base = await findBaseModel(db);
  if (base?.reference.sha256 !== request.baseModel) {
    throw new WaggleError(
      "CONFLICT",
      "this version was trained from a base model other than this site's",
    );
  }
  const head = await policyHead(db);
  if (request.epoch !== head.epoch) throw stale(request.epoch, head);
  const parent = await findPolicy(db, request.parent);
  const ancestry = await findAncestry(db, request.parent);
  const descendsFrom =
    parent.status === "rolled-back" ? parent.version : (ancestry?.descendsFrom ?? null);
  const isServed = request.status === "canary";
  if (isServed) await requireNotFrozen(db);
  if (isServed) await requireNoRelease(db);
  if (isServed) requireServable(request, parent, descendsFrom, head, { gate, plan });
  const version = head.newest + 1;
  const { signature } = request;
  if (isServed) {
    await requireSignature(db, publisherKeys, { ...request, version }, signature, decision.now);
  }
  const displace = db
    .prepare(
      `UPDATE policies SET status = 'rolled-back', displacedBy = ?1, changedAt = ${EPOCH}
       WHERE site = ?site AND status = 'canary'`,
    )
    .bind(version);
  const insert = db
    .prepare(
      `INSERT INTO policies (site, version, parent, baseModel, adapter, guidance, status, evaluation, step,
                             publishedAt, publicationId, descendsFrom, signature, changedAt)
       VALUES (?site, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ${EPOCH})`,
    )
    .bind(
      version,
      request.parent,
      request.baseModel,
      request.adapter === null ? null : JSON.stringify(request.adapter),
      request.guidance === undefined ? null : JSON.stringify(request.guidance),
      request.status,
      request.evaluation === null ? null : JSON.stringify(request.evaluation),
      request.step,
      new Date(decision.now).toISOString(),
      request.publicationId,
      descendsFrom,
      isServed && signature !== undefined ? JSON.stringify(signature) : null,
    );
  const signed = withOverrides(decision, request);
  const served = isServed ? [displace, auditStatement(db, "publish", signed, version)] : [];
  // Text that is published for review has no evaluation, and an operator decides about it.
  const released =
    isServed && plan !== null && request.evaluation !== null
      ? [startRelease(db, version, head.stable, plan, decision.now)]
      : [];
  await db.batch([db.prepare(NEXT_EPOCH).bind(), ...served, insert, ...released]);
  return findPolicy(db, version);
}

function samePublication(existing: PolicyVersion, request: PublishRequest): PolicyVersion {
  const isSame =
    existing.adapter?.sha256 === request.adapter?.sha256 &&
    existing.guidance?.sha256 === request.guidance?.sha256;
  if (isSame) return existing;
  throw new WaggleError(
    "CONFLICT",
    `publication ${request.publicationId} is already version ${existing.version}, with another adapter or other guidance; use a new publicationId`,
  );
}

function requireServable(
  { adapter, evaluation, guidance, withoutEvaluation }: PublishRequest,
  parent: PolicyVersion,
  descendsFrom: number | null,
  { stable }: PolicyHead,
  { gate, plan }: Pick<PublicationRules, "gate" | "plan">,
): void {
  if (descendsFrom !== null) throw rolledBackLineage(descendsFrom);
  // Unevaluated text may be published to the canary channel for review, but only on explicit request.
  const isUnevaluatedText =
    evaluation === null && guidance !== undefined && adapter?.sha256 === parent.adapter?.sha256;
  if (!isUnevaluatedText) requirePassed(evaluation, stable, gate, plan !== null);
  else if (withoutEvaluation !== true) {
    throw new WaggleError(
      "GATE_NOT_PASSED",
      "this text has no evaluation; set withoutEvaluation (publish-text --without-evaluation) to publish it to the canary channel anyway",
    );
  }
}

/** The decision, with the requested overrides prepended to its reason. */
function withOverrides(
  decision: Decision,
  { allowDescendant, rolledBack, withoutEvaluation }: PromoteRequest,
): Decision {
  const names = Object.entries({ allowDescendant, rolledBack, withoutEvaluation })
    .filter(([, isSet]) => isSet === true)
    .map(([name]) => name)
    .join(", ");
  const reason = [names, decision.reason].filter((text) => text !== "").join(": ");
  return { ...decision, reason };
}

function stale(known: number, { epoch, newest, stable }: PolicyHead): WaggleError {
  return new WaggleError(
    "PUBLICATION_STALE",
    `policies changed since epoch ${known}: epoch is ${epoch}, the newest version ${newest}, the stable one ${stable}; read the policies and publish again`,
  );
}

function rolledBackLineage(ancestor: number): WaggleError {
  return new WaggleError(
    "LINEAGE_ROLLED_BACK",
    `this version descends from version ${ancestor}, which was rolled back; train from the stable version`,
  );
}

/**
 * Makes the canary stable. A canary displaced by a newer one was not rejected and may also be promoted. An
 * operator may promote any earlier version.
 *
 * @param isReleased - whether the visitors of its release have decided for it.
 * @throws WaggleError `FROZEN`, `NOT_FOUND`, `CONFLICT`, `GATE_NOT_PASSED`, `PUBLICATION_STALE`,
 *   `LINEAGE_ROLLED_BACK`
 */
export async function promotePolicy(
  db: SiteDatabase,
  version: number,
  gate: PromotionGate,
  decision: Decision,
  overrides: PromoteRequest | null,
  isReleased = false,
): Promise<PolicyVersion> {
  const policy = await findPolicy(db, version);
  if (policy.status === "stable") return policy;
  await requireNotFrozen(db);
  const ancestry = await findAncestry(db, version);
  const isCandidate = policy.status === "canary" || ancestry?.displacedBy != null;
  if (!isCandidate) requireOperator(policy, overrides);
  const { allowDescendant = false, withoutEvaluation = false } = overrides ?? {};
  const ancestor = ancestry?.descendsFrom ?? null;
  if (ancestor !== null && !allowDescendant) throw rolledBackLineage(ancestor);
  if (isCandidate && !withoutEvaluation) {
    requirePassed(policy.evaluation, (await policyHead(db)).stable, gate, isReleased);
  }
  await db.batch([
    db.prepare(NEXT_EPOCH).bind(),
    db
      .prepare(
        `UPDATE policies SET status = 'retired', changedAt = ${EPOCH}
         WHERE site = ?site AND status = 'stable'`,
      )
      .bind(),
    db
      .prepare(
        `UPDATE policies SET status = 'stable', promotedAt = ?2, displacedBy = NULL,
           descendsFrom = NULL, changedAt = ${EPOCH}
         WHERE site = ?site AND version = ?1`,
      )
      .bind(version, decision.now),
    endRelease(db, decision.now),
    auditStatement(db, "promote", withOverrides(decision, overrides ?? {}), version),
  ]);
  return findPolicy(db, version);
}

/** @throws WaggleError `CONFLICT` if only an operator may promote this version */
function requireOperator(
  { version, status }: PolicyVersion,
  overrides: PromoteRequest | null,
): void {
  if (overrides === null) {
    throw new WaggleError(
      "CONFLICT",
      `version ${version} is ${status}; a trainer may only promote the canary`,
    );
  }
  if (status === "rolled-back" && overrides.rolledBack !== true) {
    throw new WaggleError(
      "CONFLICT",
      `version ${version} was rolled back; to promote it anyway, request the override explicitly`,
    );
  }
}

/** Every direct or indirect descendant of ?1. */
const DESCENDANTS = `
  WITH RECURSIVE descendants (version) AS (
    SELECT version FROM policies WHERE site = ?site AND parent = ?1
    UNION SELECT p.version FROM policies p
      JOIN descendants d ON p.site = ?site AND p.parent = d.version)`;

/**
 * Takes a version and all its descendants off the channels. The canary channel then serves the stable version.
 * The stable channel returns to the most recently promoted version without a rolled-back ancestor.
 * @throws WaggleError `NOT_FOUND`, `CONFLICT` for the base itself
 */
export async function rollBackPolicy(
  db: SiteDatabase,
  version: number,
  decision: Decision,
): Promise<PolicyVersion> {
  const policy = await findPolicy(db, version);
  if (version === 0) {
    throw new WaggleError("CONFLICT", "version 0 is the base model and cannot be rolled back");
  }
  const isJudged = (await findAncestry(db, version))?.displacedBy == null;
  if (policy.status === "rolled-back" && isJudged) return policy;
  await db.batch([
    db.prepare(NEXT_EPOCH).bind(),
    db
      .prepare(
        `UPDATE policies SET status = 'rolled-back', displacedBy = NULL, changedAt = ${EPOCH}
         WHERE site = ?site AND version = ?1`,
      )
      .bind(version),
    db
      .prepare(
        `${DESCENDANTS}
         UPDATE policies SET descendsFrom = ?1, changedAt = ${EPOCH},
           status = CASE WHEN status IN ('canary', 'stable') THEN 'rolled-back' ELSE status END
         WHERE site = ?site AND version IN (SELECT version FROM descendants)`,
      )
      .bind(version),
    db
      .prepare(
        `UPDATE policies SET status = 'stable', changedAt = ${EPOCH}
         WHERE site = ?site
           AND NOT EXISTS (SELECT 1 FROM policies WHERE site = ?site AND status = 'stable')
           AND version = (SELECT version FROM policies
                          WHERE site = ?site AND status = 'retired' AND promotedAt IS NOT NULL
                            AND descendsFrom IS NULL
                          ORDER BY promotedAt DESC, version DESC LIMIT 1)`,
      )
      .bind(),
    endRelease(db, decision.now),
    auditStatement(db, "roll-back", decision, version),
  ]);
  return findPolicy(db, version);
}
