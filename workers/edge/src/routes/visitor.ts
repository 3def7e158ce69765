/** A visitor's own data: reading all of it, and "forget me", which deletes it and says what had learned from it. */
import { DeletionResponse, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { type Endpoint, type Parameter, storesOf } from "../endpoint.ts";
import { ownData } from "../visitors/own-data.ts";
import { deleteVisitor } from "../visitors/visitor-deletion.ts";
import { FIRST_PAGE, parseCursor } from "../visitors/visitor-export.ts";

const after: Parameter = {
  name: "after",
  in: "query",
  description: "`after` of the last line of the previous page. Absent: the first page.",
  schema: z.string().max(128).optional(),
};

/** `/v1/visitor`. */
export const visitorEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/visitor",
    operationId: "readVisitor",
    summary:
      "A page of what is stored of this visitor, as JSON lines. The first page has counts and no trajectories; the last " +
      "line is `next` or `end`.",
    access: "session",
    parameters: [after],
    responses: { 200: "json-lines" },
    handle: (context) => {
      const { session, now } = context.var;
      const asked = context.req.query("after");
      const cursor = asked === undefined ? FIRST_PAGE : parseCursor(asked);
      if (cursor === null) {
        throw new WaggleError(
          "SCHEMA_INVALID",
          "after is not a cursor; use that of the last line of a page",
        );
      }
      return context.body(ownData(storesOf(context), session.visitorId, cursor, now), 200, {
        "Content-Type": "application/x-ndjson",
        "Cache-Control": "no-store",
      });
    },
  },
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
