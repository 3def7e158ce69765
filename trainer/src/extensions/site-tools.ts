/** The tools of a site's pages, for a trainer of a site without an environment. They are read, and never run. */
import type { ToolDefinition } from "@waggle/protocol";
import { loadSite } from "@waggle/site/node";

/**
 * Without tools of MCP servers, which only their servers know.
 *
 * @param folder - with `waggle.config.ts`.
 * @throws WaggleError `NOT_FOUND`, `INVALID_ARGUMENT` as `loadSite`.
 */
export async function siteTools(folder: string): Promise<readonly ToolDefinition[]> {
  const { pageTools, edgeTools } = await loadSite(folder);
  return [
    ...pageTools.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      source: "page" as const,
    })),
    ...edgeTools.map(({ definition }) => definition),
  ];
}
