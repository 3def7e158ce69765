/**
 * Stores an upload: check, object to R2, row to D1, message to the Queue, in this order. The row makes a
 * trajectory visible. A failure before it leaves an unreferenced object, which the retry overwrites.
 */
import {
  canonicalJson,
  consentScopes,
  isObject,
  isStatistics,
  type Trajectory,
  UPLOAD_LIMITS,
  type UploadEnvelope,
  type UploadResult,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import type { SiteStores } from "./endpoint.ts";
import { forgottenName, forgottenRefusal, isForgotten } from "./forgotten-store.ts";
import { trajectoryKey } from "./object-store.ts";
import { findBaseModel, publishedAmong } from "./policy-store.ts";
import { countRequest } from "./releases/release-counts.ts";
import { channelPosition } from "./session-token.ts";
import {
  type AssignedTask,
  assignmentMismatch,
  checkDigest,
  checkReceipt,
  checkTrajectory,
  type Knowledge,
  parseTrajectory,
  type SiteRules,
} from "./upload-check.ts";
import type { SiteDatabase } from "./sites/site-database.ts";
import { receiptsOf } from "./visitors/consent-receipts.ts";
import { dropFeedback } from "./visitors/feedback-consent.ts";
import { useSeed } from "./visitors/request-seeds.ts";

type Owner = { digest: string; id: string; assignmentId: string | null; visitorId: string };

/** Where an upload came from; `null` if it is unknown. */
type Origin = {
  /** Keyed hash of the network; see `networkName`. */
  readonly network: string | null;
  /** Hash of the site key; see `siteKeyName`. */
  readonly siteKey: string | null;
};

/** Distinct versions that one upload may name; trajectories beyond that are refused. */
const NAMED_VERSIONS = 1000;

/** The versions that the unvalidated trajectories name. */
function namedVersions(upload: UploadEnvelope): number[] {
  const Named = z.object({ policyVersion: z.number() });
  const versions = upload.trajectories.flatMap(({ trajectory }) => {
    const segments = isObject(trajectory) ? trajectory["segments"] : [];
    return [trajectory, ...(Array.isArray(segments) ? segments : [])].flatMap((part) => {
      const { data } = Named.safeParse(part);
      return data === undefined ? [] : [data.policyVersion];
    });
  });
  return [...new Set(versions)].slice(0, NAMED_VERSIONS);
}

async function gatherKnowledge(
  db: SiteDatabase,
  visitorId: string,
  upload: UploadEnvelope,
  site: SiteRules,
): Promise<Knowledge> {
  const named = upload.trajectories.flatMap(({ trajectory }) =>
    isObject(trajectory) && typeof trajectory["assignmentId"] === "string"
      ? [trajectory["assignmentId"]]
      : [],
  );
  const [baseModel, versions, receipts, { results }] = await Promise.all([
    findBaseModel(db),
    publishedAmong(db, namedVersions(upload)),
    receiptsOf(db, visitorId),
    db
      .prepare(
        `SELECT a.id, a.samplingSeed, g.environment, g.seed, g.split
         FROM assignments a JOIN taskGroups g ON g.site = a.site AND g.id = a.groupId
         WHERE +a.site = ?site AND a.visitorId = ?1 AND a.id IN (SELECT value FROM json_each(?2))`,
      )
      .bind(visitorId, JSON.stringify(named))
      .all<AssignedTask & { id: string }>(),
  ]);
  const assignments = new Map(results.map((row) => [row.id, row]));
  return { baseModel, versions, receipts, assignments, site };
}

/** Rows that already have the same digest, id or assignment. */
async function findOwners(
  db: SiteDatabase,
  digest: string,
  trajectory: Trajectory,
): Promise<Owner[]> {
  const { results } = await db
    .prepare(
      `SELECT digest, id, assignmentId, visitorId FROM trajectories
       WHERE (site = ?site AND digest = ?1) OR (site = ?site AND id = ?2)
          OR (site = ?site AND assignmentId = ?3)`,
    )
    .bind(digest, trajectory.id, trajectory.assignmentId)
    .all<Owner>();
  return results;
}

/** True for a duplicate of this visitor's own upload. @throws WaggleError `REPLAYED`, `ASSIGNMENT_MISMATCH` */
function judgeOwners(
  owners: readonly Owner[],
  digest: string,
  trajectory: Trajectory,
  visitorId: string,
): boolean {
  if (owners.some((owner) => owner.digest === digest && owner.visitorId === visitorId)) return true;
  if (owners.some((owner) => owner.digest === digest || owner.id === trajectory.id)) {
    throw new WaggleError(
      "REPLAYED",
      "this trajectory id is already taken; use a new id for each rollout",
    );
  }
  if (owners.length > 0) throw assignmentMismatch();
  return false;
}

const INSERT_ROW = `
  INSERT INTO trajectories (site, digest, id, visitorId, assignmentId, groupId, environment, seed, split,
    policyVersion, tokens, stopReason, objectKey, sizeBytes, receivedAt, status, consentVersion, samplingSeed,
    network, siteKey, reason, consentScopes, backend, consent)
  SELECT ?site, ?1, ?2, ?3, ?4,
    (SELECT groupId FROM assignments WHERE site = ?site AND id = ?4), ?5, ?6, ?7,
    ?8, ?9, ?10, ?11, ?12, ?13, IIF(?19 IS NULL, 'stored', 'skipped'), ?15,
    CASE WHEN ?4 IS NOT NULL THEN ?16 ELSE
      (SELECT seed FROM requestSeeds
       WHERE site = ?site AND visitorId = ?3 AND seed = ?16 AND digest IS NULL) END,
    ?17, ?18, ?19, ?20, ?21, ?22
  WHERE NOT EXISTS (SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?14)
  ON CONFLICT DO NOTHING`;

/** @throws WaggleError `PAYLOAD_TOO_LARGE` if the object or its group would become too large */
async function requireFits(
  db: SiteDatabase,
  { assignmentId }: Trajectory,
  bytes: number,
  groupBytes: number,
): Promise<void> {
  // Canonical numbers can be longer than in the upload: `1e6` is `1000000`.
  if (bytes > UPLOAD_LIMITS.bodyBytes) {
    throw new WaggleError(
      "PAYLOAD_TOO_LARGE",
      `this trajectory has ${bytes} decoded bytes; the limit is ${UPLOAD_LIMITS.bodyBytes}`,
    );
  }
  if (assignmentId === null || groupBytes === 0) return;
  const held = await db
    .prepare(
      `SELECT COALESCE(SUM(sizeBytes), 0) AS bytes FROM trajectories
       WHERE site = ?site
         AND groupId = (SELECT groupId FROM assignments WHERE site = ?site AND id = ?1)`,
    )
    .bind(assignmentId)
    .first<{ bytes: number }>();
  if ((held?.bytes ?? 0) + bytes <= groupBytes) return;
  throw new WaggleError(
    "PAYLOAD_TOO_LARGE",
    `this trajectory has ${bytes} decoded bytes and its group holds ${held?.bytes ?? 0}; the limit of a group is ${groupBytes}`,
  );
}

/** Why no trainer may learn from a record; `null` if one may. Such a record is never leased. */
function reasonToSkip(trajectory: Trajectory, tokens: number): string | null {
  if (!trajectory.consent.scopes.includes("train")) return "no-train-consent";
  return tokens === 0 && isStatistics(trajectory) ? "statistics-only" : null;
}

/**
 * Stores a validated trajectory.
 * @returns `duplicate` if this visitor stored the same one before
 * @throws WaggleError `REPLAYED`, `ASSIGNMENT_MISMATCH`, or `CONSENT_MISSING` for a forgotten visitor
 */
async function storeTrajectory(
  stores: SiteStores,
  visitorId: string,
  digest: string,
  trajectory: Trajectory,
  groupBytes: number,
  now: number,
  { network, siteKey }: Origin,
): Promise<"accepted" | "duplicate"> {
  const key = trajectoryKey(stores.DB.site, visitorId, digest);
  const text = canonicalJson(trajectory);
  const bytes = new TextEncoder().encode(text);
  await requireFits(stores.DB, trajectory, bytes.byteLength, groupBytes);
  await stores.OBJECTS.put(key, bytes, { httpMetadata: { contentType: "application/json" } });
  const tokens = trajectory.segments
    .filter((segment) => segment.kind === "sampled")
    .reduce((sum, segment) => sum + segment.tokenIds.length, 0);
  const scopes = consentScopes(trajectory.consent);
  const insert = stores.DB.prepare(INSERT_ROW).bind(
    digest,
    trajectory.id,
    visitorId,
    trajectory.assignmentId,
    trajectory.task?.environment ?? null,
    trajectory.task?.seed ?? null,
    trajectory.task?.split ?? null,
    trajectory.policyVersion,
    tokens,
    trajectory.stopReason,
    key,
    bytes.byteLength,
    now,
    await forgottenName(visitorId),
    trajectory.consent.version,
    trajectory.samplingSeed ?? null,
    network,
    siteKey,
    reasonToSkip(trajectory, tokens),
    scopes.join(),
    trajectory.client.backend,
    canonicalJson(trajectory.consent),
  );
  const position = await channelPosition(visitorId);
  const [inserted] = await stores.DB.batch([
    insert,
    useSeed(stores.DB, visitorId, trajectory.samplingSeed ?? null, digest),
    countRequest(stores.DB, digest, position),
    ...(scopes.includes("feedback") ? [] : dropFeedback(stores.DB, visitorId, trajectory.id)),
  ]);
  if (inserted !== undefined && inserted.meta.changes > 0) return "accepted";
  // Another request with the same digest, id or assignment was faster.
  const after = await findOwners(stores.DB, digest, trajectory);
  if (after.some((owner) => owner.digest === digest && owner.visitorId === visitorId)) {
    return "duplicate";
  }
  await stores.OBJECTS.delete(key);
  judgeOwners(after, digest, trajectory, visitorId);
  throw forgottenRefusal();
}

/**
 * Validates and stores every trajectory of an upload. A refused one does not affect the others.
 *
 * @param rules - `groupBytes`: decoded bytes that one group may hold; 0 = no limit.
 * @param origin - where the upload came from; default unknown.
 */
export async function ingest(
  stores: SiteStores,
  visitorId: string,
  upload: UploadEnvelope,
  { groupBytes, ...site }: SiteRules & { readonly groupBytes: number },
  origin: Origin = { network: null, siteKey: null },
): Promise<UploadResult[]> {
  const forgotten = await isForgotten(stores.DB, visitorId);
  const knowledge = await gatherKnowledge(stores.DB, visitorId, upload, site);
  const results: UploadResult[] = [];
  for (const { digest, trajectory: value } of upload.trajectories) {
    try {
      const trajectory = parseTrajectory(value);
      await checkDigest(trajectory, digest);
      const owners = await findOwners(stores.DB, digest, trajectory);
      if (judgeOwners(owners, digest, trajectory, visitorId)) {
        results.push({ digest, status: "duplicate" });
        continue;
      }
      checkTrajectory(trajectory, knowledge);
      // The insert checks this again. Checking here keeps the object out of R2.
      if (forgotten) throw forgottenRefusal();
      // A forgotten visitor has no receipts.
      checkReceipt(trajectory, knowledge);
      const status = await storeTrajectory(
        stores,
        visitorId,
        digest,
        trajectory,
        groupBytes,
        site.now,
        origin,
      );
      results.push({ digest, status });
    } catch (error) {
      if (!WaggleError.is(error)) throw error;
      results.push({ digest, status: "rejected", code: error.code, message: error.message });
    }
  }
  return results;
}
