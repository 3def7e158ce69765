/** The Worker of the tests: the edge with the code of one site, whose tools are named by `EDGE_TOOLS=rooms`. */
import {
  definitionsOf,
  evaluateExpression,
  runTool,
  type RunnableTools,
  tool,
  type ToolArguments,
} from "@waggle/environments";
import { type ToolDefinition, WaggleError } from "@waggle/protocol";
import type { EdgeTool } from "@waggle/agent/tools";
import { z } from "zod";
import { createWorker } from "../create-worker.ts";
import type { SiteCode } from "../tools/edge-tools.ts";

export { Coordinator } from "../coordinator.ts";
export { RateLimiter } from "../rate-limiter.ts";

const TOOLS: RunnableTools<undefined> = {
  calculate: tool({
    description: "Evaluate arithmetic such as 3*45.",
    schema: z.strictObject({ expression: z.string().max(200) }),
    run: ({ expression }) => evaluateExpression(expression),
  }),
  free_rooms: tool({
    description: "How many rooms of a floor are free.",
    schema: z.strictObject({ floor: z.int().min(0) }),
    run: ({ floor }) => {
      if (floor > 3) throw new WaggleError("TOOL_FAILED", "no such floor");
      return 7 - floor;
    },
  }),
  book_room: tool({
    description: "Book a room of a floor.",
    schema: z.strictObject({ floor: z.int().min(0) }),
    run: ({ floor }) => floor * 100 + 1,
  }),
};

/** What an MCP client shows of a tool, besides its definition. */
const DETAILS: {
  readonly [name: string]: Pick<EdgeTool, "title" | "result" | "isPure" | "changes">;
} = {
  calculate: { title: "Calculate", result: { type: "number" }, isPure: true },
  free_rooms: { title: "Free rooms", result: { type: "integer", minimum: 0 }, isPure: true },
  book_room: { title: "Book a room", result: { type: "integer", minimum: 0 }, changes: true },
};

/** The tools of the site. */
export const toolDefinitions: readonly ToolDefinition[] = definitionsOf(TOOLS, "edge");

/** Runs one of them. */
export function runRoomsTool(name: string, args: ToolArguments): unknown {
  return runTool(TOOLS, name, args, undefined);
}

const rooms: SiteCode = {
  id: "rooms",
  tools: toolDefinitions.map((definition) => ({
    definition,
    ...DETAILS[definition.name],
    run: async (args) => runRoomsTool(definition.name, args),
  })),
};

export default createWorker({ sites: [rooms] });
