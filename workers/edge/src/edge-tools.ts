/** Tools that the Worker serves over MCP: the sets that the site names in `EDGE_TOOLS`. Default: none. */
import { edgeToolDefinitions, runEdgeTool } from "@waggle/environments";
import { type ToolDefinition, WaggleError } from "@waggle/protocol";

type Arguments = { readonly [key: string]: unknown };

type ToolSet = {
  readonly definitions: readonly ToolDefinition[];
  readonly run: (name: string, args: Arguments) => unknown;
};

/** Tool sets that a site can serve. */
export const TOOL_SET_NAMES = ["shop"] as const;
export type ToolSetName = (typeof TOOL_SET_NAMES)[number];

const TOOL_SETS: { readonly [name in ToolSetName]: ToolSet } = {
  shop: { definitions: edgeToolDefinitions, run: runEdgeTool },
};

/** The definitions of all named sets, in order. */
export function servedTools(names: readonly ToolSetName[]): readonly ToolDefinition[] {
  return names.flatMap((name) => TOOL_SETS[name].definitions);
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
