/**
 * Visitors' own requests that no trainer has learned from, for a trainer that compares two versions' answers to them. Reading
 * leases nothing and changes nothing. A request is given only while its visitor's consent covers learning.
 */
import {
  type Consent,
  isConsentCurrent,
  LeasedTrajectory,
  RequestsResponse,
  Sha256,
  type StoredReceipt,
  WaggleError,
} from "@waggle/protocol";
import type { Endpoint } from "../endpoint.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { readStoredTrajectory } from "../stored-trajectory.ts";
import { receiptFor, receiptsOf } from "../visitors/consent-receipts.ts";

/** Rows of each status that one call reads. */
const WINDOW = 300;

/** Live requests of visitors that agreed to training and are not in quarantine. */
const IS_OPEN = `environment IS NULL AND tokens > 0 AND learnedAtStep IS NULL
  AND (reason IS NULL OR reason <> 'quarantined')
  AND (consentScopes IS NULL OR consentScopes LIKE '%train%')`;

type Row = {
  readonly digest: string;
  readonly visitorId: string;
  readonly objectKey: string;
  readonly receivedAt: number;
};

/** The newest open requests. */
async function openRequests(db: SiteDatabase): Promise<Pick<Row, "digest" | "visitorId">[]> {
  const windows = ["stored", "ready", "skipped"].map(
    (status) =>
      `SELECT * FROM (SELECT * FROM trajectories WHERE site = ?site AND status = '${status}'
                      ORDER BY receivedAt DESC, digest DESC LIMIT ${WINDOW})`,
  );
  const { results } = await db
    .prepare(
      `SELECT digest, visitorId FROM (${windows.join(" UNION ALL ")})
       WHERE ${IS_OPEN} ORDER BY receivedAt DESC, digest DESC`,
    )
    .bind()
    .all<Pick<Row, "digest" | "visitorId">>();
  return results;
}

/** Whether the visitor agrees to learning from what was recorded under this consent, now. */
function isCovered(
  consent: Consent,
  receipts: readonly StoredReceipt[],
  days: number,
  now: number,
): boolean {
  if (!consent.scopes.includes("train") || !isConsentCurrent(consent, days, now)) return false;
  const newest = receipts.at(-1);
  return (
    receiptFor(receipts, consent)?.withdrawnAt === null &&
    newest?.withdrawnAt === null &&
    newest.receipt.consent.scopes.includes("train")
  );
}

/** `/v1/trainer/requests`. */
export const requestEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/trainer/requests",
    operationId: "listRequests",
    summary: "Visitors' own requests that no trainer has learned from, newest first.",
    access: "trainer",
    responses: { 200: RequestsResponse },
    handle: async (context) => {
      const answer: RequestsResponse = { requests: await openRequests(context.var.db) };
      return context.json(answer);
    },
  },
  {
    method: "get",
    path: "/v1/trainer/requests/{digest}",
    operationId: "getRequest",
    summary:
      "One of these requests, while its visitor's consent covers learning. It is not leased, and has no feedback.",
    access: "trainer",
    parameters: [
      { name: "digest", in: "path", description: "Digest of a trajectory.", schema: Sha256 },
    ],
    responses: { 200: LeasedTrajectory },
    handle: async (context) => {
      const { db, now, settings } = context.var;
      const gone = new WaggleError(
        "NOT_FOUND",
        "this request is not stored, was learned from or refused, or its visitor's consent does not cover learning",
      );
      const row = await db
        .prepare(
          `SELECT digest, visitorId, objectKey, receivedAt FROM trajectories
           WHERE site = ?site AND digest = ?1 AND status NOT IN ('learned', 'rejected') AND ${IS_OPEN}`,
        )
        .bind(context.req.param("digest") ?? "")
        .first<Row>();
      if (row === null) throw gone;
      const { digest, visitorId, objectKey, receivedAt } = row;
      const read = await readStoredTrajectory(context.env.OBJECTS, objectKey, digest);
      if (!read.ok) throw gone;
      const { trajectory } = read;
      const receipts = await receiptsOf(db, visitorId);
      if (!isCovered(trajectory.consent, receipts, settings.CONSENT_DAYS, now)) throw gone;
      const answer: LeasedTrajectory = {
        digest,
        visitorId,
        receivedAt: new Date(receivedAt).toISOString(),
        trajectory,
        feedback: [],
      };
      return context.json(answer);
    },
  },
];
