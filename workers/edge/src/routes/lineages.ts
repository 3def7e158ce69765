/** Where a trainer's state stands, asked when the trainer starts. */
import { Lineage, LineageResponse } from "@waggle/protocol";
import { readJson } from "../body.ts";
import type { Endpoint } from "../endpoint.ts";
import { openLineage } from "../lineage-store.ts";

export const lineageEndpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/trainer/lineages",
    operationId: "openLineage",
    summary: "Says how far a trainer's state is; answers what it said before.",
    access: "trainer",
    request: Lineage,
    responses: { 200: LineageResponse },
    handle: async (context) => {
      const lineage = await readJson(context.req.raw, Lineage);
      return context.json(await openLineage(context.env.DB, lineage));
    },
  },
];
