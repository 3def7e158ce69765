/** Checks the tools of a site: each for itself, and all against each other and against the environment. */
import {
  defineEdgeTools,
  definePageTools,
  isLibrarySchema,
  type PageTool,
} from "@waggle/agent/tools";
import {
  type FirstObservation,
  isObject,
  type JsonSchema,
  type Tool,
  type ToolDefinition,
  WaggleError,
} from "@waggle/protocol";
import type { SiteModule } from "./site-module.ts";

const PAGE_TOOLS = 'definePageTools({ search: { description: "…", parameters, run } })';
const EDGE_TOOLS = 'defineEdgeTools({ search: { description: "…", parameters, run } })';

/** What a module of tools should export. */
export const WRITE: { readonly tools: string; readonly edgeTools: string } = {
  tools: PAGE_TOOLS,
  edgeTools: EDGE_TOOLS,
};

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function pageToolsOf(module: SiteModule | null): readonly PageTool<JsonSchema>[] {
  if (module === null) return [];
  const tools = listOf<PageTool>(module, PAGE_TOOLS);
  requireDifferent(
    module,
    tools.map(({ name }) => name),
  );
  return tools.flatMap(({ name, ...tool }) =>
    checked(module, name, () => definePageTools({ [String(name)]: tool as never })),
  );
}

/** @throws WaggleError `INVALID_ARGUMENT` with file and line. */
export function edgeToolsOf(
  module: SiteModule | null,
  pageTools: readonly PageTool[],
): readonly Tool[] {
  if (module === null) return [];
  const tools = listOf<Tool>(module, EDGE_TOOLS);
  const names = tools.map((tool) => tool.definition?.name);
  requireDifferent(module, names);
  const shared = names.find((name) => pageTools.some((tool) => tool.name === name));
  if (shared !== undefined) {
    throw module.mistakeAt(
      shared,
      `the tool "${shared}" is in tools and in edgeTools; rename one or leave it out`,
    );
  }
  return tools.flatMap((tool) => {
    const { definition, ...given } = tool;
    const { name, description, parameters } = definition ?? {};
    // The Worker imports the list as it is, and only defineEdgeTools converts a library's schema.
    if (isLibrarySchema(parameters)) {
      throw module.mistakeAt(
        String(name),
        `the parameters of the tool "${String(name)}" are a library's schema; write the list with ${EDGE_TOOLS}`,
      );
    }
    const written = { [String(name)]: { ...given, description, parameters } as never };
    return checked(module, name, () => defineEdgeTools(written)).map((defined) => ({
      ...tool,
      definition: defined.definition,
    }));
  });
}

function listOf<T>(module: SiteModule, write: string): readonly T[] {
  const list = module.default;
  if (Array.isArray(list) && list.every((tool) => isObject(tool)))
    return list as unknown as readonly T[];
  throw module.mistakeAt(null, `the default export is no list of tools; write ${write}`);
}

function requireDifferent(module: SiteModule, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw module.mistakeAt(twice, `two tools have the name "${twice}"; rename one`);
}

function checked<T>(module: SiteModule, name: string, define: () => T): T {
  try {
    return define();
  } catch (error) {
    if (!WaggleError.is(error)) throw error;
    throw module.mistakeAt(name, error.message);
  }
}

/** A tool that the model reads in the page. What an MCP server says of its tools is not known here. */
type ShownTool = Pick<ToolDefinition, "name"> &
  Partial<Pick<ToolDefinition, "description" | "parameters">>;

/** What the model reads in the page, in order. */
export function toolsInPage(
  pageTools: readonly PageTool<JsonSchema>[],
  edgeTools: readonly Tool[],
  mcpTools: readonly string[],
): readonly ShownTool[] {
  return [
    ...pageTools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    ...edgeTools.map(({ definition: { name, description, parameters } }) => ({
      name,
      description,
      parameters,
    })),
    ...mcpTools.map((name) => ({ name })),
  ];
}

/**
 * Compares what the model reads in practice with what it reads in the page.
 *
 * @throws WaggleError `INVALID_ARGUMENT` at the first difference.
 */
export function requireSameTools(
  module: SiteModule,
  { system, tools }: FirstObservation,
  site: { readonly prompt: string; readonly tools: readonly ShownTool[] },
): void {
  if (system !== site.prompt) {
    throw module.mistakeAt(
      null,
      `the environment's prompt is ${JSON.stringify(system.slice(0, 80))}, and the site's is ${JSON.stringify(site.prompt.slice(0, 80))}; the model must read the same in both, so import one from the other`,
    );
  }
  const missing = site.tools.find(({ name }) => !tools.some((tool) => tool.name === name));
  if (missing !== undefined) {
    throw module.mistakeAt(
      null,
      `the environment has no tool "${missing.name}", which the page has; add it with the same description and parameters`,
    );
  }
  for (const { name, description, parameters } of tools) {
    const own = site.tools.find((tool) => tool.name === name);
    if (own === undefined) {
      throw module.mistakeAt(
        name,
        `the page has no tool "${name}", which the environment has; add it to tools, edgeTools or mcpServers, or leave it out here`,
      );
    }
    const pairs = [
      ["description", description, own.description],
      ["parameters", parameters, own.parameters],
    ] as const;
    const different = pairs.find(
      ([, here, there]) => there !== undefined && JSON.stringify(here) !== JSON.stringify(there),
    );
    if (different !== undefined) {
      const [field, here, there] = different;
      throw module.mistakeAt(
        name,
        `the ${field} of the tool "${name}" is ${shortJson(here)} in the environment and ${shortJson(there)} in the page; write it once and import it in both`,
      );
    }
  }
  const [orderHere, orderThere] = [tools, site.tools].map((list) =>
    list.map(({ name }) => name).join(", "),
  );
  if (orderHere === orderThere) return;
  throw module.mistakeAt(
    null,
    `the environment lists its tools as ${orderHere}, and the page as ${orderThere}; list them in the same order, because the model reads them in order`,
  );
}

function shortJson(value: unknown): string {
  return (JSON.stringify(value) ?? "missing").slice(0, 200);
}
