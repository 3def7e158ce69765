/** Progress of a trainer's state, which the trainer reports when it starts. */
import { Lineage, LineageResponse } from "@waggle/protocol";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { openLineage } from "../lineage-store.ts";

/** `POST /v1/trainer/lineages`. */
export const lineageEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trainer/lineages",
    operationId: "openLineage",
    summary: "Reports the step of a trainer's state and returns the step reported before.",
    access: "trainer",
    request: Lineage,
    responses: { 200: LineageResponse },
    handle: async (context) => {
      const lineage = await readJson(context.req.raw, Lineage);
      return context.json(await openLineage(context.var.db, lineage));
    },
  },
];
