/** The Worker that this repository deploys: the edge with the tools of the demo shop. */
import { edgeToolDefinitions, runEdgeTool } from "@waggle/environments";
import type { JsonSchema } from "@waggle/protocol";
import { createWorker } from "./create-worker.ts";
import type { SiteCode } from "./tools/edge-tools.ts";

export { Coordinator } from "./coordinator.ts";
export { RateLimiter } from "./rate-limiter.ts";

/** What an MCP client shows of a tool, besides its definition. */
const DETAILS: { readonly [name: string]: { title: string; result: JsonSchema } } = {
  calculate: { title: "Calculate", result: { type: "number" } },
  convert_currency: { title: "Convert currency", result: { type: "number" } },
  check_stock: { title: "Check stock", result: { type: "integer", minimum: 0 } },
};

const shop: SiteCode = {
  id: "shop",
  tools: edgeToolDefinitions.map((definition) => ({
    definition,
    ...DETAILS[definition.name],
    isPure: true,
    run: async (args) => runEdgeTool(definition.name, args),
  })),
};

export default createWorker({ sites: [shop] });
