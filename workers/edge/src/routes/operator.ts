/** Read-only routes for the operator: counts, rows, and one trajectory in full. */
import {
  OperatorSummary,
  Sha256,
  TrajectoriesResponse,
  TrajectoryDetail,
  WaggleError,
} from "@waggle/protocol";
import type { Endpoint } from "../endpoint.ts";
import { type FeedbackRow, toFeedback } from "../visitors/feedback-row.ts";
import { receiptFor, receiptsOf } from "../visitors/consent-receipts.ts";
import { endedConsentOf } from "../visitors/ended-consent.ts";
import { outcomesOf } from "../outcomes/outcome-store.ts";
import { notesOn } from "../staff/staff-notes.ts";
import { readStoredTrajectory } from "../stored-trajectory.ts";
import { summarize } from "../summary.ts";
import { findRow, listRows, TrajectoryFilter } from "../trajectory-rows.ts";

/** `/v1/operator/summary` and `/v1/operator/trajectories`. */
export const operatorEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/operator/summary",
    operationId: "getSummary",
    summary: "Counts over all stored data.",
    access: "operator",
    responses: { 200: OperatorSummary },
    handle: async (context) =>
      context.json(await summarize(context.var.db, context.var.settings.METRICS)),
  },
  {
    method: "get",
    path: "/v1/operator/trajectories",
    operationId: "listTrajectories",
    summary: "Trajectories, newest first.",
    access: "operator",
    parameters: Object.entries(TrajectoryFilter.shape).map(([name, schema]) => ({
      name,
      in: "query" as const,
      description: schema.description ?? "",
      schema,
    })),
    responses: { 200: TrajectoriesResponse },
    handle: async (context) => {
      const filter = TrajectoryFilter.safeParse(context.req.query());
      if (!filter.success) {
        throw new WaggleError(
          "SCHEMA_INVALID",
          "the filters do not match their schema; see /openapi.json",
        );
      }
      return context.json(await listRows(context.var.db, filter.data));
    },
  },
  {
    method: "get",
    path: "/v1/operator/trajectories/{digest}",
    operationId: "getTrajectory",
    summary:
      "One trajectory in full, with the receipt of its consent, its feedback, outcomes and notes of staff.",
    access: "operator",
    parameters: [
      { name: "digest", in: "path", description: "Digest of a trajectory.", schema: Sha256 },
    ],
    responses: { 200: TrajectoryDetail },
    handle: async (context) => {
      const { OBJECTS } = context.env;
      const { db, now, settings } = context.var;
      const found = await findRow(db, context.req.param("digest") ?? "");
      if (!found) {
        throw new WaggleError("NOT_FOUND", "no trajectory with this digest is stored");
      }
      const read = await readStoredTrajectory(OBJECTS, found.objectKey, found.row.digest);
      if (!read.ok) {
        throw new WaggleError(
          "NOT_FOUND",
          `the content of this trajectory is unusable: ${read.reason}`,
        );
      }
      const { results } = await db
        .prepare(
          `SELECT id, trajectoryId, kind, text, retryId, at FROM feedback
         WHERE site = ?site AND trajectoryId = ?1 AND visitorId = ?2 ORDER BY receivedAt`,
        )
        .bind(found.row.id, found.row.visitorId)
        .all<FeedbackRow>();
      const answer: TrajectoryDetail = {
        row: found.row,
        trajectory: read.trajectory,
        receipt: receiptFor(await receiptsOf(db, found.row.visitorId), read.trajectory.consent),
        feedback: results.map(toFeedback),
        outcomes: await outcomesOf(db, found.row.id),
        notes: await notesOn(db, found.row.digest),
        consentDays: settings.CONSENT_DAYS,
        consentEnded: await endedConsentOf(db, found.row.digest, {
          CONSENT_DAYS: settings.CONSENT_DAYS,
          now,
        }),
      };
      return context.json(answer);
    },
  },
];
