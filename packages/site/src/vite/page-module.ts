/** The module that a page imports as `virtual:waggle/site`. */
import type { LoadedSite } from "../node/load-site.ts";
import { visitorModule } from "./visitor-module.ts";

/** The edge of `waggle dev`. */
export const LOCAL_EDGE = "http://localhost:8787";

/** @param environment - `WAGGLE_EDGE_URL`, `WAGGLE_SITE_KEY` and `WAGGLE_PUBLISHER_KEYS` replace what the config says. */
export function pageModule(
  { definition, files, edgeTools }: LoadedSite,
  environment: { readonly [name: string]: string | undefined },
): string {
  const { id, name, prompt, edge = {}, mcpServers, constrainToolCalls, confirmBelow } = definition;
  const data = {
    name,
    edgeUrl: environment["WAGGLE_EDGE_URL"] ?? edge.url ?? LOCAL_EDGE,
    siteKey: environment["WAGGLE_SITE_KEY"] ?? edge.siteKey ?? `local-${id}`,
    publisher: publisherOf(edge, environment["WAGGLE_PUBLISHER_KEYS"]),
    system: prompt,
    edgeTools: edgeTools.map((tool) => tool.definition.name),
    mcpServers,
    constrainToolCalls,
    confirmBelow,
  };
  return [
    ...(files.tools === null ? [] : [`import tools from ${JSON.stringify(files.tools)};`]),
    visitorModule(definition),
    "export const site = {",
    `  ...${JSON.stringify(data)},`,
    `  tools: ${files.tools === null ? "[]" : "tools"},`,
    "  ...visitor,",
    "};",
    "",
  ].join("\n");
}

/** @param keys - separated by commas; empty: none. */
function publisherOf(
  { publisher }: NonNullable<LoadedSite["definition"]["edge"]>,
  keys: string | undefined,
): typeof publisher {
  if (keys === undefined) return publisher;
  return keys === "" ? undefined : { ...publisher, keys: keys.split(",") };
}
