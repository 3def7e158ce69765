/** The shop's tools that run at its edge, with what an MCP client shows of them. */
import type { EdgeTool } from "@waggle/agent/tools";
import type { JsonSchema } from "@waggle/protocol";
import { defineEdgeTools } from "@waggle/site";
import type { ToolArguments } from "@waggle/environments";
import { edgeToolDefinitions, runEdgeTool } from "./environment/index.ts";

const DETAILS: { readonly [name: string]: { title: string; result: JsonSchema } } = {
  calculate: { title: "Calculate", result: { type: "number" } },
  convert_currency: { title: "Convert currency", result: { type: "number" } },
  check_stock: { title: "Check stock", result: { type: "integer", minimum: 0 } },
};

const tools: readonly EdgeTool[] = defineEdgeTools(
  Object.fromEntries(
    edgeToolDefinitions.map(({ name, description, parameters }) => [
      name,
      {
        ...DETAILS[name],
        description,
        parameters,
        isPure: true,
        run: (args: unknown) => runEdgeTool(name, args as ToolArguments),
      },
    ]),
  ),
);

export default tools;
