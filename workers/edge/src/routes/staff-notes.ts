/** Notes of the site's staff on trajectories. */
import { Sha256, StaffNote, StaffNoteRequest } from "@waggle/protocol";
import { decisionOf, operatorName } from "../actor.ts";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { addNote } from "../staff/staff-notes.ts";

/** `POST /v1/operator/trajectories/{digest}/notes`. */
export const staffNoteEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/operator/trajectories/{digest}/notes",
    operationId: "addNote",
    summary: "Stores a comment of staff, or what an answer should have been; idempotent by its id.",
    access: "operator",
    parameters: [
      { name: "digest", in: "path", description: "Digest of a trajectory.", schema: Sha256 },
      operatorName,
    ],
    request: StaffNoteRequest,
    responses: { 200: StaffNote },
    handle: async (context) => {
      const { db, settings } = context.var;
      const request = await readJson(context.req.raw, StaffNoteRequest);
      const decision = decisionOf(context, "operator");
      const digest = context.req.param("digest") ?? "";
      return context.json(await addNote(db, digest, request, settings, decision));
    },
  },
];
