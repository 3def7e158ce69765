/** Operator actions for one visitor, and consent and deletions over all visitors. */
import {
  ConsentResponse,
  DeletionResponse,
  DeletionsResponse,
  WaggleError,
} from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import { type AuditAction, auditStatement } from "../audit-log.ts";
import { type EdgeContext, type Endpoint, type Parameter, storesOf } from "../endpoint.ts";
import { forgottenName, learnedFromForgotten } from "../forgotten-store.ts";
import { deleteVisitor } from "../visitors/visitor-deletion.ts";
import { exportVisitor } from "../visitors/visitor-export.ts";

const visitorId: Parameter = {
  name: "visitorId",
  in: "path",
  description: "Id of a visitor, as in the list of trajectories.",
  schema: z.uuid(),
};

function visitorOf(context: EdgeContext): string {
  const parsed = z.uuid().safeParse(context.req.param("visitorId"));
  if (parsed.success) return parsed.data;
  throw new WaggleError("SCHEMA_INVALID", "the visitor id in this path is not a UUID");
}

/** Logs an operator's action. The log names the visitor by a hash, so that it keeps no id of a deleted visitor. */
async function note(context: EdgeContext, action: AuditAction, id: string): Promise<void> {
  const reason = `visitor ${(await forgottenName(id)).slice(0, 16)}`;
  const decision = decisionOf(context, "operator", reason);
  await auditStatement(context.var.db, action, decision).run();
}

/** `/v1/operator/visitors/{id}`, `/v1/operator/deletions` and `/v1/operator/consent`. */
export const operatorVisitorEndpoints: readonly Endpoint[] = [
  {
    method: "delete",
    path: "/v1/operator/visitors/{visitorId}",
    operationId: "deleteVisitorAsOperator",
    summary: "Deletes all data of one visitor, as the visitor's own deletion does.",
    access: "operator",
    parameters: [visitorId, operatorName],
    responses: { 200: DeletionResponse },
    handle: async (context) => {
      const id = visitorOf(context);
      await note(context, "delete-visitor", id);
      return context.json(await deleteVisitor(storesOf(context), id, context.var.now));
    },
  },
  {
    method: "get",
    path: "/v1/operator/visitors/{visitorId}/export",
    operationId: "exportVisitor",
    summary: "All stored data of one visitor as JSON lines; the last line is `end`.",
    access: "operator",
    parameters: [visitorId, operatorName],
    responses: { 200: "json-lines" },
    handle: async (context) => {
      const id = visitorOf(context);
      await note(context, "export-visitor", id);
      return context.body(exportVisitor(storesOf(context), id, context.var.now), 200, {
        "Content-Type": "application/x-ndjson",
        "Cache-Control": "no-store",
      });
    },
  },
  {
    method: "get",
    path: "/v1/operator/deletions",
    operationId: "getDeletions",
    summary: "The versions that learned from visitors who were forgotten since.",
    access: "operator",
    responses: { 200: DeletionsResponse },
    handle: async (context) => context.json(await learnedFromForgotten(context.var.db)),
  },
  {
    method: "get",
    path: "/v1/operator/consent",
    operationId: "getConsent",
    summary:
      "Trajectories and visitors by the version of the consent text. Scans the index of all rows.",
    access: "operator",
    responses: { 200: ConsentResponse },
    handle: async (context) => {
      const { results } = await context.var.db
        .prepare(
          `SELECT consentVersion AS version, COUNT(*) AS trajectories,
                COUNT(DISTINCT visitorId) AS visitors
         FROM trajectories WHERE site = ?site
         GROUP BY consentVersion ORDER BY consentVersion DESC`,
        )
        .bind()
        .all<ConsentResponse["versions"][number]>();
      return context.json({ versions: results } satisfies ConsentResponse);
    },
  },
];
