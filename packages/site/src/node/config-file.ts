/** Finds and loads `waggle.config.ts`. */
import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { WaggleError } from "@waggle/protocol";
import type { SiteDefinition } from "../site-definition.ts";
import { fieldMistakes } from "./field-check.ts";
import { languageMistakes } from "./language-check.ts";
import { metricMistakes } from "./metric-check.ts";
import { releaseMistakes } from "./release-check.ts";
import { SourceFile, shownPath } from "./source-file.ts";

const NAMES = ["waggle.config.ts", "waggle.config.js", "waggle.config.mjs"];

/** The config file of a folder, or the file itself; `null` if there is none. */
export function siteConfigIn(path: string): string | null {
  const found = resolve(path);
  if (!existsSync(found)) return null;
  if (statSync(found).isFile()) return NAMES.some((name) => found.endsWith(name)) ? found : null;
  return NAMES.map((name) => join(found, name)).find((file) => existsSync(file)) ?? null;
}

/** A config whose fields have been checked. Its modules have not been loaded. */
export type SiteConfig = { readonly source: SourceFile; readonly definition: SiteDefinition };

/**
 * Loads the config of a folder.
 *
 * @throws WaggleError `NOT_FOUND` if there is none; `INVALID_ARGUMENT` with one line per mistake: file, line and column,
 *   and what to write instead.
 */
export async function readSiteConfig(path: string): Promise<SiteConfig> {
  const file = siteConfigIn(path);
  if (file === null) {
    throw new WaggleError(
      "NOT_FOUND",
      `there is no waggle.config.ts in ${resolve(path)}; make a site with npm create waggle, or name its folder`,
    );
  }
  const source = new SourceFile(file);
  const definition = await definitionIn(source);
  const wrongFields = fieldMistakes(definition);
  const mistakes =
    wrongFields.length > 0
      ? wrongFields
      : [
          ...languageMistakes(definition as SiteDefinition),
          ...metricMistakes(definition as SiteDefinition),
          ...releaseMistakes(definition as SiteDefinition),
        ];
  if (mistakes.length > 0) {
    const lines = mistakes.map(
      ({ path: at, message }) => `${source.placeOf(source.nodeAt(at))}: ${message}`,
    );
    throw new WaggleError("INVALID_ARGUMENT", lines.join("\n"));
  }
  return { source, definition: definition as SiteDefinition };
}

async function definitionIn(source: SourceFile): Promise<unknown> {
  const { file } = source;
  let exported: { readonly default?: unknown };
  try {
    // A config that changed since the last time is another module.
    const version = statSync(file).mtimeMs;
    exported = (await import(`${pathToFileURL(file).href}?version=${version}`)) as typeof exported;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const hint = /Unknown file extension "\.[cm]?ts"/.test(message)
      ? `. TypeScript needs Node 22.18 or newer; this is Node ${process.versions.node}`
      : "";
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${shownPath(file)} cannot be loaded: ${message.slice(0, 400)}${hint}`,
      { cause },
    );
  }
  if (exported.default !== undefined) return exported.default;
  throw source.mistake(0, "there is no default export; write export default defineSite({ … })");
}
