/** "Forget me": everything of a visitor goes, and the answer says what had learned from it. */
import { DeletionResponse } from "@waggle/protocol";
import type { Endpoint } from "../endpoint.ts";
import { deleteVisitorObjects } from "../object-store.ts";

export const visitorEndpoints: readonly Endpoint[] = [
  {
    method: "delete",
    path: "/v1/visitor",
    operationId: "deleteVisitor",
    summary: "Removes trajectories, feedback and assignments of this visitor.",
    access: "session",
    responses: { 200: DeletionResponse },
    handle: async (context) => {
      const { visitorId } = context.var.session;
      const { DB, OBJECTS } = context.env;
      // Rows first: an object without a row is invisible, a row without an object would be a fault.
      // Every version published at or after the first step that learned from it has learned from it.
      const [learned, trajectories, feedback] = await DB.batch<{ version: number }>([
        DB.prepare(
          `SELECT version FROM policies
           WHERE step >= (SELECT MIN(learnedAtStep) FROM trajectories
                          WHERE visitorId = ?1 AND status = 'learned')
           ORDER BY version`,
        ).bind(visitorId),
        DB.prepare("DELETE FROM trajectories WHERE visitorId = ?1").bind(visitorId),
        DB.prepare("DELETE FROM feedback WHERE visitorId = ?1").bind(visitorId),
        DB.prepare("DELETE FROM assignments WHERE visitorId = ?1").bind(visitorId),
      ]);
      await deleteVisitorObjects(OBJECTS, visitorId);
      const answer: DeletionResponse = {
        deletedTrajectories: trajectories?.meta.changes ?? 0,
        deletedFeedback: feedback?.meta.changes ?? 0,
        learnedBy: (learned?.results ?? []).map((row) => row.version),
      };
      return context.json(answer);
    },
  },
];
