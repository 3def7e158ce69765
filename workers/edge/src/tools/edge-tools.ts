/** Tools that the Worker serves over MCP: the sets that the site names in `EDGE_TOOLS`. Default: none. */
import { edgeToolDefinitions, runEdgeTool } from "@waggle/environments";
import { type JsonSchema, type ToolDefinition, WaggleError } from "@waggle/protocol";

type Arguments = { readonly [key: string]: unknown };

/** What an MCP client shows of a tool, besides its definition. */
type ToolDetails = { readonly title: string; readonly result: JsonSchema };

/** Tools of a set must be pure functions, because `/mcp` annotates them as read-only. */
type ToolSet = {
  readonly definitions: readonly ToolDefinition[];
  readonly details: { readonly [name: string]: ToolDetails };
  readonly run: (name: string, args: Arguments) => unknown;
};

/** Tool sets that a site can serve. */
export const TOOL_SET_NAMES = ["shop"] as const;
export type ToolSetName = (typeof TOOL_SET_NAMES)[number];

const TOOL_SETS: { readonly [name in ToolSetName]: ToolSet } = {
  shop: {
    definitions: edgeToolDefinitions,
    details: {
      calculate: { title: "Calculate", result: { type: "number" } },
      convert_currency: { title: "Convert currency", result: { type: "number" } },
      check_stock: { title: "Check stock", result: { type: "integer", minimum: 0 } },
    },
    run: runEdgeTool,
  },
};

/** A tool's definition with its details, which a tool may lack. */
export type ServedTool = ToolDefinition & Partial<ToolDetails>;

/** The tools of all named sets, in order. */
export function servedTools(names: readonly ToolSetName[]): readonly ServedTool[] {
  return names.flatMap((set) => {
    const { definitions, details } = TOOL_SETS[set];
    return definitions.map((definition) => ({ ...definition, ...details[definition.name] }));
  });
}

/** Runs a tool of a named set. @throws WaggleError `UNKNOWN_TOOL`, or the tool's own error. */
export function runServedTool(
  names: readonly ToolSetName[],
  toolName: string,
  args: Arguments,
): unknown {
  const set = names
    .map((name) => TOOL_SETS[name])
    .find(({ definitions }) => definitions.some(({ name }) => name === toolName));
  if (set === undefined) throw new WaggleError("UNKNOWN_TOOL", "no such tool");
  return set.run(toolName, args);
}
