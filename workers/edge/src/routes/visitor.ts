/** "Forget me": everything of a visitor goes, and the answer says what had learned from it. */
import { DeletionResponse } from "@waggle/protocol";
import type { Endpoint } from "../endpoint.ts";
import { forgetVisitor } from "../forgotten-book.ts";
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
      const { session, now } = context.var;
      const { DB, OBJECTS } = context.env;
      // Rows first: an object without a row is invisible, a row without an object would be a fault.
      const answer = await forgetVisitor(DB, session.visitorId, now);
      await deleteVisitorObjects(OBJECTS, session.visitorId);
      return context.json(answer);
    },
  },
];
