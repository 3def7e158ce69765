/** Feedback of visitors, joined to trajectories by id. It may arrive before or after them. */
import { FeedbackRequest, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { readJson } from "../body.ts";
import { requireConsent } from "../access.ts";
import { endWaiting } from "../awaited-feedback.ts";
import { leaseAgain, receivedAt } from "../leases/late-feedback.ts";
import { joinRetries } from "../leases/retried-requests.ts";
import type { Endpoint } from "../endpoint.ts";
import type { FeedbackRow } from "../visitors/feedback-row.ts";
import { requireFeedbackConsent, requireFeedbackKept } from "../visitors/feedback-consent.ts";
import { forgottenName, forgottenRefusal, isForgotten } from "../forgotten-store.ts";

/** Maximum number of feedback rows per visitor. */
const MAX_FEEDBACK_PER_VISITOR = 100_000;

type Stored = FeedbackRow & { visitorId: string };

/** `POST /v1/feedback`. */
export const feedbackEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/feedback",
    operationId: "giveFeedback",
    summary: "Stores one piece of feedback; idempotent by its id.",
    access: "session",
    request: FeedbackRequest,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { db, now, settings } = context.var;
      const { visitorId } = requireConsent(context.var.session);
      const {
        id,
        trajectoryId,
        kind,
        text = null,
        retryId = null,
        at,
      } = await readJson(context.req.raw, FeedbackRequest);
      requireFeedbackKept(settings);
      if (text !== null && settings.COLLECT === "statistics") {
        throw new WaggleError(
          "FORBIDDEN",
          "this site collects statistics only, and this feedback has a text; reload the page",
        );
      }
      await requireFeedbackConsent(db, visitorId, trajectoryId, settings, now);
      const insert = db
        .prepare(
          `INSERT INTO feedback (site, id, trajectoryId, visitorId, kind, at, receivedAt, text, retryId)
         SELECT ?site, ?1, ?2, ?3, ?4, ?5, ${receivedAt("?6", "?2")}, ?8,
           CASE WHEN NOT EXISTS (SELECT 1 FROM feedback
                                 WHERE trajectoryId = ?2 AND visitorId = ?3 AND site = ?site AND retryId IS NOT NULL)
             AND NOT EXISTS (SELECT 1 FROM feedback WHERE retryId = ?9 AND visitorId = ?3 AND site = ?site)
           THEN ?9 END
         WHERE NOT EXISTS (SELECT 1 FROM forgottenVisitors WHERE site = ?site AND visitor = ?7)
           AND (SELECT COUNT(*) FROM feedback WHERE site = ?site AND visitorId = ?3)
             < ${MAX_FEEDBACK_PER_VISITOR}
         ON CONFLICT DO NOTHING`,
        )
        .bind(
          id,
          trajectoryId,
          visitorId,
          kind,
          at,
          now,
          await forgottenName(visitorId),
          text,
          retryId,
        );
      const [inserted] = await db.batch([
        insert,
        ...endWaiting(db, [trajectoryId], settings),
        leaseAgain(db, "id", [trajectoryId], settings, now),
      ]);
      if (retryId !== null) await joinRetries(db, [trajectoryId], settings);
      if (inserted !== undefined && inserted.meta.changes > 0) return context.json({});
      const stored = await db
        .prepare(
          "SELECT id, trajectoryId, kind, text, retryId, at, visitorId FROM feedback WHERE site = ?site AND id = ?1",
        )
        .bind(id)
        .first<Stored>();
      if (!stored) {
        if (await isForgotten(db, visitorId)) throw forgottenRefusal();
        // Not RATE_LIMITED: pages would send it again for ever.
        throw new WaggleError(
          "CONFLICT",
          `this visitor has given feedback ${MAX_FEEDBACK_PER_VISITOR} times, the most there can be`,
        );
      }
      const same =
        stored.visitorId === visitorId &&
        stored.trajectoryId === trajectoryId &&
        stored.kind === kind &&
        stored.text === text &&
        // It was left out if another link to one of the two trajectories came first.
        (stored.retryId === null || stored.retryId === retryId) &&
        stored.at === at;
      if (same) return context.json({});
      throw new WaggleError("REPLAYED", "this feedback id is already taken; use a new id");
    },
  },
];
