/** Tasks for pages. The server decides which; a page cannot choose what it is rewarded for. */
import { AssignmentResponse } from "@waggle/protocol";
import { unwrap } from "../answer.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { Endpoint } from "../endpoint.ts";

export const assignmentEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/assignments",
    operationId: "createAssignment",
    summary: "Assigns a task of the open group to this visitor.",
    access: "session",
    responses: { 200: AssignmentResponse },
    handle: async (context) => {
      const { session, now } = context.var;
      return context.json(unwrap(await coordinatorOf(context.env).assign(session.visitorId, now)));
    },
  },
];
