/** Leases of the trainer: the Coordinator grants rows, and these handlers read their objects. */
import {
  AcknowledgeRequest,
  AcknowledgeResponse,
  consentScopes,
  type Feedback,
  type LeasedGroup,
  type LeasedOutcome,
  type LeasedTrajectory,
  LeaseRequest,
  LeaseResponse,
  ReleaseRequest,
  RenewRequest,
  RenewResponse,
} from "@waggle/protocol";
import { z } from "zod";
import { unwrap } from "../answer.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { EdgeContext, Endpoint, Parameter } from "../endpoint.ts";
import { buryLeased } from "../dead-letter-store.ts";
import { type FeedbackRow, toFeedback } from "../visitors/feedback-row.ts";
import { responsesByStratum } from "../awaited-feedback.ts";
import type { GrantedLease, LeasedRow } from "../leases/lease-store.ts";
import { outcomesOfLease } from "../outcomes/outcome-store.ts";
import type { Settings } from "../settings.ts";
import { readStoredTrajectory } from "../stored-trajectory.ts";
import type { SiteDatabase } from "../sites/site-database.ts";
import { isNew, offerFeedback } from "../leases/late-feedback.ts";
import { takeAnswers } from "../staff/staff-notes.ts";
import { reputationWeight } from "../visitors/reputation.ts";

/** 4096 outcomes of about 400 bytes each. */
const ACKNOWLEDGE_BYTES = 2 * 1024 * 1024;

const leaseId: Parameter = {
  name: "leaseId",
  in: "path",
  description: "Id of a lease.",
  schema: z.uuid(),
};

const idOf = (context: EdgeContext): string => context.req.param("leaseId") ?? "";

type Stores = { readonly db: SiteDatabase; readonly bucket: R2Bucket };

/**
 * Feedback on each trajectory by its own visitor, oldest first. Kinds and texts that a trainer of the previous release does
 * not know are left out unless the site learns from them. A site that learns from retries gets every sign that an answer was
 * not what its visitor wanted.
 */
async function feedbackOf(
  db: SiteDatabase,
  leaseId: string,
  from: Settings["FEEDBACK_FROM"],
): Promise<Map<string, Feedback[]>> {
  const { results } = await db
    .prepare(
      `SELECT f.id, f.trajectoryId, f.kind, f.at,
       CASE WHEN ?4 OR f.kind NOT IN ('next-thanks', 'next-repeats') THEN f.text END AS text,
       CASE WHEN ?6 THEN f.retryId END AS retryId
     FROM feedback f
     JOIN trajectories t ON t.site = f.site AND t.id = f.trajectoryId AND t.visitorId = +f.visitorId
     WHERE +f.site = ?site AND t.leaseId = ?1 AND t.status = 'leased' AND ${isNew("f")} AND (?2 OR ?6 OR f.kind NOT LIKE 'next-%')
       AND (?3 OR ?6 OR f.kind <> 'edit') AND (?4 OR f.kind <> 'next-message')
       AND (?5 OR ?6 OR f.kind <> 'undo')
     ORDER BY f.receivedAt`,
    )
    .bind(
      leaseId,
      ...(["message", "edit", "judge", "undo", "retry"] as const).map((one) =>
        from.includes(one) ? 1 : 0,
      ),
    )
    .all<FeedbackRow>();
  return Map.groupBy(results.map(toFeedback), (feedback) => feedback.trajectoryId);
}

/** What came in about the trajectories of a lease, by trajectory id. */
type Received = {
  readonly feedback: ReadonlyMap<string, readonly Feedback[]>;
  readonly outcomes: ReadonlyMap<string, readonly LeasedOutcome[]>;
  /** By digest. */
  readonly staffAnswers: ReadonlyMap<string, string>;
  readonly responses: Awaited<ReturnType<typeof responsesByStratum>>;
};

/** How often requests of this kind get feedback, beside all of the site. */
function responseCounts(
  stratum: string | null,
  responses: Received["responses"],
): LeasedTrajectory["response"] {
  const alike = responses.find((one) => one.stratum === stratum);
  if (alike === undefined) return undefined;
  const { requests, answered } = alike;
  const sum = (of: "requests" | "answered") => responses.reduce((all, one) => all + one[of], 0);
  return { requests, answered, allRequests: sum("requests"), allAnswered: sum("answered") };
}

/** Returns `null` for an unusable object, whose row becomes a dead letter. */
async function readLeased(
  { db, bucket }: Stores,
  row: LeasedRow,
  { feedback, outcomes, staffAnswers, responses }: Received,
  now: number,
): Promise<LeasedTrajectory | null> {
  const read = await readStoredTrajectory(bucket, row.objectKey, row.digest);
  if (!read.ok) {
    await db.batch(buryLeased(db, [row.digest], read.reason, now));
    return null;
  }
  const reputation = reputationOf(row);
  const hasFeedback = consentScopes(read.trajectory.consent).includes("feedback");
  const staffAnswer = staffAnswers.get(row.digest);
  const response = responseCounts(row.stratum, responses);
  return {
    digest: row.digest,
    visitorId: row.visitorId,
    receivedAt: new Date(row.receivedAt).toISOString(),
    trajectory: read.trajectory,
    feedback: hasFeedback ? [...(feedback.get(row.id) ?? [])] : [],
    outcomes: hasFeedback ? [...(outcomes.get(row.id) ?? [])] : [],
    ...(staffAnswer === undefined ? {} : { staffAnswer }),
    ...(row.network === null ? {} : { network: row.network }),
    ...(row.siteKey === null ? {} : { siteKey: row.siteKey }),
    ...(reputation === 1 ? {} : { reputation }),
    ...(response === undefined ? {} : { response }),
  };
}

function reputationOf(row: LeasedRow): number {
  return reputationWeight(
    {
      verified: row.visitorVerified ?? 0,
      forged: row.visitorForged ?? 0,
      dropped: row.visitorDropped ?? 0,
    },
    { verified: row.networkVerified ?? 0, forged: row.networkForged ?? 0, dropped: 0 },
  );
}

/** Reads sequentially, so that only one object's text is in memory beside the parsed ones. */
async function readGroups(
  stores: Stores,
  lease: GrantedLease,
  received: Received,
  now: number,
): Promise<LeasedGroup[]> {
  const groups: LeasedGroup[] = [];
  for (const { rows, ...group } of lease.groups) {
    const trajectories: LeasedTrajectory[] = [];
    for (const row of rows) {
      const leased = await readLeased(stores, row, received, now);
      if (leased !== null) trajectories.push(leased);
    }
    if (trajectories.length > 0) groups.push({ ...group, trajectories });
  }
  return groups;
}

/** `/v1/trainer/leases`. */
export const leaseEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trainer/leases",
    operationId: "leaseGroups",
    summary: "Leases whole groups, complete or past their deadline, oldest first.",
    access: "trainer",
    request: LeaseRequest,
    responses: { 200: LeaseResponse },
    handle: async (context) => {
      const { env } = context;
      const { db, now, settings } = context.var;
      const request = await readJson(context.req.raw, LeaseRequest);
      const coordinator = coordinatorOf(env, db.site);
      const lease = unwrap(await coordinator.lease(request, now));
      const { leaseId: id, fencingToken } = lease;
      let groups: LeasedGroup[] = [];
      if (id !== null) {
        const giveBack = async () => unwrap(await coordinator.release(id, fencingToken));
        try {
          const { FEEDBACK_FROM: from } = settings;
          await offerFeedback(db, id, now).run();
          const received: Received = {
            feedback: await feedbackOf(db, id, from),
            outcomes: await outcomesOfLease(db, id, settings.METRICS),
            staffAnswers: from.includes("staff") ? await takeAnswers(db, id) : new Map(),
            responses: await responsesByStratum(db),
          };
          groups = await readGroups({ db, bucket: env.OBJECTS }, lease, received, now);
          groups = groups.map((group) => ({ ...group, consentDays: settings.CONSENT_DAYS }));
        } catch (error) {
          // A storage outage is not a failure of the rows.
          await giveBack();
          throw error;
        }
        if (groups.length === 0) await giveBack();
      }
      const answer: LeaseResponse = {
        leaseId: groups.length === 0 ? null : id,
        fencingToken,
        expiresAt: new Date(lease.expiresAt).toISOString(),
        groups,
        ...(lease.isAlone ? { isAlone: true } : {}),
      };
      return context.json(answer);
    },
  },
  {
    method: "post",
    path: "/v1/trainer/leases/{leaseId}/renew",
    operationId: "renewLease",
    summary: "Extends a lease.",
    access: "trainer",
    parameters: [leaseId],
    request: RenewRequest,
    responses: { 200: RenewResponse },
    handle: async (context) => {
      const { fencingToken, durationSeconds } = await readJson(context.req.raw, RenewRequest);
      const { expiresAt, forgotten } = unwrap(
        await coordinatorOf(context.env, context.var.site.id).renew(
          idOf(context),
          fencingToken,
          durationSeconds,
          context.var.now,
        ),
      );
      const answer: RenewResponse = { expiresAt: new Date(expiresAt).toISOString(), forgotten };
      return context.json(answer);
    },
  },
  {
    method: "post",
    path: "/v1/trainer/leases/{leaseId}/release",
    operationId: "releaseLease",
    summary: "Returns the groups of a lease unlearned.",
    access: "trainer",
    parameters: [leaseId],
    request: ReleaseRequest,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { fencingToken } = await readJson(context.req.raw, ReleaseRequest);
      unwrap(
        await coordinatorOf(context.env, context.var.site.id).release(idOf(context), fencingToken),
      );
      return context.json({});
    },
  },
  {
    method: "post",
    path: "/v1/trainer/leases/{leaseId}/acknowledge",
    operationId: "acknowledgeLease",
    summary: "Reports the outcomes of leased trajectories and ends the lease; idempotent.",
    access: "trainer",
    parameters: [leaseId],
    request: AcknowledgeRequest,
    responses: { 200: AcknowledgeResponse },
    handle: async (context) => {
      const request = await readJson(context.req.raw, AcknowledgeRequest, ACKNOWLEDGE_BYTES);
      return context.json(
        unwrap(
          await coordinatorOf(context.env, context.var.site.id).acknowledge(
            idOf(context),
            request,
            context.var.now,
          ),
        ),
      );
    },
  },
];
