/** "Forget me": deletes all data of a visitor and returns the versions that had learned from it. */
import { DeletionResponse } from "@waggle/protocol";
import { type Endpoint, storesOf } from "../endpoint.ts";
import { deleteVisitor } from "../visitors/visitor-deletion.ts";

/** `DELETE /v1/visitor`. */
export const visitorEndpoints: readonly Endpoint[] = [
  {
    method: "delete",
    path: "/v1/visitor",
    operationId: "deleteVisitor",
    summary: "Deletes trajectories, feedback, outcomes and assignments of this visitor.",
    access: "session",
    responses: { 200: DeletionResponse },
    handle: async (context) => {
      const { session, now } = context.var;
      return context.json(await deleteVisitor(storesOf(context), session.visitorId, now));
    },
  },
];
