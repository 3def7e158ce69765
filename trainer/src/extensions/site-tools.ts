/** The tools of a site's pages, for a trainer of a site without an environment. They are read, and never run. */
import { readFile } from "node:fs/promises";
import { isObject, type ToolDefinition, WaggleError } from "@waggle/protocol";

/**
 * Without tools of MCP servers, which only their servers know.
 *
 * @param source - a folder with `waggle.config.ts`, or a .json file with a list of definitions.
 * @throws WaggleError `INVALID_ARGUMENT` for a file without such a list; `NOT_FOUND`, `INVALID_ARGUMENT` as `loadSite`.
 */
export async function siteTools(source: string): Promise<readonly ToolDefinition[]> {
  if (source.endsWith(".json")) return toolsInFile(source);
  // A site's folder has an environment, or may have one.
  const { loadSite } = await import("@waggle/site/node");
  const { pageTools, edgeTools } = await loadSite(source);
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

async function toolsInFile(file: string): Promise<readonly ToolDefinition[]> {
  const found = parsed(await readFile(file, "utf8"));
  if (Array.isArray(found) && found.every(isDefinition)) return found;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `--tools ${file} is no list of tools; each needs a name, a description, parameters and a source, "page" or "edge"`,
  );
}

/** `null` for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isDefinition(value: unknown): value is ToolDefinition {
  if (!isObject(value)) return false;
  const { name, description, parameters, source } = value;
  const hasTexts = [name, description].every((text) => typeof text === "string");
  return hasTexts && isObject(parameters) && (source === "page" || source === "edge");
}
