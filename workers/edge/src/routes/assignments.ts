/** Assigns tasks to pages. The server chooses the task, so that a page cannot choose what it is rewarded for. */
import { AssignmentResponse } from "@waggle/protocol";
import { z } from "zod";
import { requireConsent } from "../access.ts";
import { unwrap } from "../answer.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { Endpoint, Parameter } from "../endpoint.ts";
import { requireRewardConsent } from "../visitors/feedback-consent.ts";
import { versionIn } from "./rewards.ts";

const version: Parameter = {
  name: "version",
  in: "query",
  description:
    "The version that the page runs. Only its perturbations are assigned, where a site collects rewards.",
  schema: z.int().min(0).optional(),
};

/** A trainer step takes a few seconds and frees some groups. */
const WAIT_SECONDS = 2;

/** `POST /v1/assignments`. */
export const assignmentEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/assignments",
    operationId: "createAssignment",
    summary: "Assigns a task of the open group to this visitor; 204 if there is none for now.",
    access: "session",
    parameters: [version],
    responses: { 200: AssignmentResponse, 204: "empty" },
    handle: async (context) => {
      const { session, addressPrefix, now, db, settings } = context.var;
      const asker = { visitorId: requireConsent(session).visitorId, addressPrefix };
      if (settings.COLLECT === "rewards") {
        await requireRewardConsent(db, asker.visitorId, settings, now);
      }
      const given = unwrap(
        await coordinatorOf(context.env, context.var.site.id).assign(
          asker,
          versionIn(context),
          now,
        ),
      );
      // 204 instead of an error, which the page's console would show although the page did nothing wrong.
      if (given === null) return context.body(null, 204, { "Retry-After": String(WAIT_SECONDS) });
      return context.json(given);
    },
  },
];
