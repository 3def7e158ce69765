/** Senders in quarantine: list and release, for the operator. */
import { QuarantineResponse, WaggleError } from "@waggle/protocol";
import { z } from "zod";
import { decisionOf, operatorName } from "../actor.ts";
import type { Endpoint, Parameter } from "../endpoint.ts";
import { forgottenName } from "../forgotten-store.ts";
import { listQuarantine, releaseSender } from "../visitors/reputation-store.ts";

const sender: Parameter = {
  name: "sender",
  in: "path",
  description: "`id` of a visitor or network in the list.",
  schema: z.string().max(64),
};

/** `/v1/operator/quarantine`. */
export const quarantineEndpoints: readonly Endpoint[] = [
  {
    method: "get",
    path: "/v1/operator/quarantine",
    operationId: "listQuarantine",
    summary: "Visitors and networks in quarantine: nothing that they send is learned from.",
    access: "operator",
    responses: { 200: QuarantineResponse },
    handle: async (context) => context.json(await listQuarantine(context.var.db)),
  },
  {
    method: "post",
    path: "/v1/operator/quarantine/{sender}/release",
    operationId: "releaseSender",
    summary: "Ends the quarantine of a visitor or network and forgets what led to it.",
    access: "operator",
    parameters: [sender, operatorName],
    responses: { 200: z.object({}) },
    handle: async (context) => {
      const id = context.req.param("sender") ?? "";
      // As for a deletion, the audit log keeps no id of a visitor.
      const name = (await forgottenName(id)).slice(0, 16);
      const decision = decisionOf(context, "operator", `sender ${name}`);
      if (await releaseSender(context.var.db, id, decision)) return context.json({});
      throw new WaggleError("NOT_FOUND", "there is no record of this visitor or network");
    },
  },
];
