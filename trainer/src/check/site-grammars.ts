/**
 * Whether a grammar is one that the pages of a site decode calls under, where the site's tools are known and it has no
 * environment. It reads what a record says, and trusts none of it: a visitor's grammar could make any token look certain, or
 * exhaust the compiler.
 */
import { canonicalJson, type GrammarSpec, type ToolDefinition } from "@waggle/protocol";
import type { ChatFormat } from "@waggle/text";

/** What decides which calls a grammar allows. */
export type GrammarTools = readonly Pick<ToolDefinition, "name" | "parameters">[];

/** What the agent writes where no grammar can express a schema. */
const ANY_ARGUMENTS = canonicalJson({ type: "object" });

/**
 * @param tools - all tools of the site's pages. The grammar must allow all of them, with their own arguments or any, and free
 *   text: then it excludes no answer, and only calls that no page could run.
 */
export function isGrammarOf(
  spec: GrammarSpec | undefined,
  tools: GrammarTools,
  { toolCallFormat }: Pick<ChatFormat, "toolCallFormat">,
): boolean {
  if (spec?.kind !== "tool-calls" || spec.format !== toolCallFormat) return false;
  if (spec.choice !== "auto" || !spec.parallel || spec.answer !== undefined) return false;
  if (spec.tools.length !== tools.length) return false;
  const parameters = new Map(spec.tools.map((tool) => [tool.name, canonicalJson(tool.parameters)]));
  const isEach = (expected: (tool: GrammarTools[number]) => string): boolean =>
    tools.every((tool) => parameters.get(tool.name) === expected(tool));
  return isEach((tool) => canonicalJson(tool.parameters)) || isEach(() => ANY_ARGUMENTS);
}
