/** Both versions of MCP's official SDK: its clients of the edge, its servers with `connectMcpTools`. */
import { testedCounterpart } from "./tested-counterpart.ts";

export default testedCounterpart({
  packages: [
    "@modelcontextprotocol/sdk",
    "@modelcontextprotocol/client",
    "@modelcontextprotocol/server",
  ],
  area: "MCP",
  tests: [
    { project: "node", file: "packages/agent/src/mcp-tools.test.ts" },
    { project: "node", file: "packages/agent/src/mcp-session.test.ts" },
    {
      project: "workers",
      file: "workers/edge/src/routes/mcp.test.ts",
      // The others send requests without the client.
      only: /official client|configures no edge tools|call over MCP|model's mistake|output schema|unknown tool/,
    },
    { project: "e2e", file: "test/e2e/mcp-conformance.test.ts", only: /official client/ },
  ],
  deviations: [
    {
      case: "the text of a result that is a text",
      reason:
        "The edge writes it as JSON, with quotation marks. Clients of the newest protocol read `structuredContent`.",
    },
  ],
});
