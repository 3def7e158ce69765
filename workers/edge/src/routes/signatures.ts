/** Signatures of published versions. Only the trainer has the key that makes them. */
import { PolicySignatures } from "@waggle/protocol";
import { z } from "zod";
import { decisionOf } from "../actor.ts";
import { unwrap } from "../answer.ts";
import { readJson } from "../body.ts";
import { coordinatorOf } from "../coordinator.ts";
import type { Endpoint } from "../endpoint.ts";
import { listSignatures } from "../signatures/signature-store.ts";

/** `/v1/trainer/signatures`. */
export const signatureEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/trainer/signatures",
    operationId: "listSignatures",
    summary: "Signatures of the versions that were not rolled back.",
    access: "trainer",
    responses: { 200: PolicySignatures },
    handle: async (context) => context.json(await listSignatures(context.var.db)),
  },
  {
    method: "put",
    path: "/v1/trainer/signatures",
    operationId: "putSignatures",
    summary: "Replaces the signatures of published versions.",
    access: "trainer",
    request: PolicySignatures,
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const signatures = await readJson(context.req.raw, PolicySignatures);
      const coordinator = coordinatorOf(context.env, context.var.site.id);
      unwrap(await coordinator.sign(signatures, decisionOf(context, "trainer")));
      return context.json({});
    },
  },
];
