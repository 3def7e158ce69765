/** MCP's official conformance suite, with the edge and with `connectMcpTools`. */
import { MCP_DEVIATIONS } from "../fixtures/mcp-deviations.ts";
import type { Deviation } from "./counterpart.ts";
import { testedCounterpart } from "./tested-counterpart.ts";

const deviations = Object.entries(MCP_DEVIATIONS).flatMap(([side, scenarios]) =>
  Object.entries(scenarios).map(([scenario, reason]): Deviation => ({
    case: `${side}: ${scenario}`,
    reason,
  })),
);

export default testedCounterpart({
  packages: ["@modelcontextprotocol/conformance"],
  area: "MCP",
  tests: [
    { project: "e2e", file: "test/e2e/mcp-conformance.test.ts", only: /the conformance suite/ },
  ],
  deviations,
});
