/** The MCP project's example server, with `connectMcpTools`. */
import { testedCounterpart } from "./tested-counterpart.ts";

export default testedCounterpart({
  packages: ["@modelcontextprotocol/server-everything"],
  area: "MCP",
  tests: [
    {
      project: "node",
      file: "test/contract/mcp-everything.test.ts",
      deviating: /only runs as a task/,
    },
  ],
  deviations: [
    {
      case: "simulate-research-query",
      reason: "A tool that runs only as a task of MCP is not offered.",
    },
  ],
});
