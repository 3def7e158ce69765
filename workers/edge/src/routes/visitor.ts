/** "Forget me": everything of a visitor goes, and the answer says what had learned from it. */
import { DeletionResponse } from "@waggle/protocol";
import type { Endpoint } from "../endpoint.ts";
import { deleteVisitor } from "../visitor-deletion.ts";

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
      return context.json(await deleteVisitor(context.env, session.visitorId, now));
    },
  },
];
