/** Dead letters: list, retry and delete, for the operator. */
import { DeadLettersResponse, Sha256, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import { deleteDeadLetter, listDeadLetters, retryDeadLetter } from "../dead-letter-store.ts";
import type { Endpoint, Parameter } from "../endpoint.ts";

const Page = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50).describe("Rows, at most 200."),
  cursor: z
    .string()
    .regex(/^\d{1,16}\.[0-9a-f]{64}$/)
    .optional()
    .describe("`nextCursor` of the previous page."),
});

const digest: Parameter = {
  name: "digest",
  in: "path",
  description: "Digest of a trajectory.",
  schema: Sha256,
};

/** `/v1/operator/dead-letters`. */
export const deadLetterEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/operator/dead-letters",
    operationId: "listDeadLetters",
    summary: "Trajectories that could not be processed, newest first.",
    access: "operator",
    parameters: Object.entries(Page.shape).map(([name, schema]) => ({
      name,
      in: "query" as const,
      description: schema.description ?? "",
      schema,
    })),
    responses: { 200: DeadLettersResponse },
    handle: async (context) => {
      const page = Page.safeParse(context.req.query());
      if (!page.success) {
        throw new WaggleError(
          "SCHEMA_INVALID",
          "`limit` or `cursor` is invalid; see /openapi.json",
        );
      }
      const { limit, cursor } = page.data;
      return context.json(await listDeadLetters(context.var.db, limit, cursor));
    },
  },
  {
    method: "post",
    path: "/v1/operator/dead-letters/{digest}/retry",
    operationId: "retryDeadLetter",
    summary: "Lets the trainer lease a dead letter again.",
    access: "operator",
    parameters: [digest, operatorName],
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const decision = decisionOf(context, "operator");
      await retryDeadLetter(context.var.db, context.req.param("digest") ?? "", decision);
      return context.json({});
    },
  },
  {
    method: "delete",
    path: "/v1/operator/dead-letters/{digest}",
    operationId: "deleteDeadLetter",
    summary: "Deletes a dead letter with the content of its trajectory.",
    access: "operator",
    parameters: [digest, operatorName],
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const { OBJECTS } = context.env;
      const decision = decisionOf(context, "operator");
      await deleteDeadLetter(context.var.db, OBJECTS, context.req.param("digest") ?? "", decision);
      return context.json({});
    },
  },
];
