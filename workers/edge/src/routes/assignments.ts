/** Tasks for pages. The server decides which; a page cannot choose what it is rewarded for. */
import { AssignmentResponse } from "@waggle/protocol";
import { requireConsent } from "../access.ts";
import { unwrap } from "../answer.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { Endpoint } from "../endpoint.ts";

/** The trainer takes a few seconds for a step, which makes room for some groups. */
const WAIT_SECONDS = 2;

export const assignmentEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/assignments",
    operationId: "createAssignment",
    summary: "Assigns a task of the open group to this visitor; 204 where there is none for now.",
    access: "session",
    responses: { 200: AssignmentResponse, 204: "empty" },
    handle: async (context) => {
      const { session, addressPrefix, now } = context.var;
      const asker = { visitorId: requireConsent(session).visitorId, addressPrefix };
      const given = unwrap(await coordinatorOf(context.env).assign(asker, now));
      // No fault of the page: a refusal would stand in its console as an error.
      if (given === null) return context.body(null, 204, { "Retry-After": String(WAIT_SECONDS) });
      return context.json(given);
    },
  },
];
