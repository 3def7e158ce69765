/** Requirements of the edge: publishing, shares of work, and the operator's view. Pure data. */
import type { Requirement } from "./requirement.ts";

const at = (file: string, ...names: readonly string[]): string[] =>
  names.map((name) => `workers/edge/src/${file} > ${name}`);

export const EDGE_REQUIREMENTS: readonly Requirement[] = [
  {
    id: "edge:publishing",
    source: "docs/design.md",
    behavior:
      "Only a version whose evaluation passed the gate is served; descendants of a rolled-back version are not; overrides are logged.",
    tests: [
      ...at(
        "routes/publishing.test.ts",
        "a candidate that failed its evaluation is recorded and never served",
        "two concurrent publishers get two versions, and the slower one is told",
        "descendants of a rolled-back version leave the channels and need an operator's override",
        "a promotion without a passing evaluation is refused",
        "every override is in the audit log with the operator's name and reason",
      ),
    ],
  },
  {
    id: "edge:mcp-server",
    source: "Model Context Protocol, Streamable HTTP and tools; RFC 9110; RFC 6750",
    behavior:
      "`/mcp` refuses other origins, describes its tools and their results, and refuses as the protocol says.",
    tests: at(
      "routes/mcp.test.ts",
      "a request of an origin that is not allowed is refused",
      "a refused method names the allowed ones",
      "an unknown tool is the JSON-RPC error that MCP defines",
      "every tool has a title, annotations and an output schema that its results match (%s)",
      "no tool runs without a session token",
    ),
  },
  {
    id: "edge:shared-groups",
    source: "docs/design.md",
    behavior:
      "Visitors and networks that take tasks without answering leave enough work for others.",
    tests: at(
      "asking-visitors.test.ts",
      "five visitors who only request tasks leave an honest page enough work",
      "a network that creates a new visitor for every task runs out of tasks",
    ),
  },
  {
    id: "edge:health",
    source: "docs/design.md",
    behavior:
      "Refusals are counted by reason, internal errors are logged with their request, and a silent trainer is shown as absent.",
    tests: at(
      "routes/health.test.ts",
      "refused uploads are counted by reason and shown to the operator",
      "an internal error names its request and is logged with class and stack, without the payload",
      "a trainer without a heartbeat for 20 seconds counts as stopped",
    ),
  },
  {
    id: "edge:bounded-reads",
    source: "docs/design.md",
    behavior: "The number of rows that a call reads does not grow with the stored data.",
    tests: at(
      "bounded-reads.test.ts",
      "the number of rows that a call reads does not grow with the stored data",
      "counters equal a count of the rows, also after a visitor is forgotten",
    ),
  },
];
