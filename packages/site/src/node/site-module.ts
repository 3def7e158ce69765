/** Loads the modules that a config names, and reports their mistakes at the line that has to change. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { isObject, WaggleError } from "@waggle/protocol";
import type { SiteConfig } from "./config-file.ts";
import { importText, SourceFile } from "./source-file.ts";

/** Fields whose value is a module. */
export type CodeField = "tools" | "edgeTools" | "environment" | "retentionEnvironment" | "reward";

/**
 * The absolute path of a module that the config names; `null` if the config does not have the field.
 *
 * @throws WaggleError `INVALID_ARGUMENT` if it is no function that imports, or there is no such file.
 */
function modulePath({ source, definition }: SiteConfig, field: CodeField): string | null {
  if (definition[field] === undefined) return null;
  const node = source.nodeAt([field]);
  const written = source.importedBy(node);
  if (written === null) {
    throw source.mistake(
      node,
      `${field} is not written as an import; write ${field}: ${importText("./file.ts")}, so that a bundler can follow it`,
    );
  }
  const path = written.startsWith(".")
    ? resolve(dirname(source.file), written)
    : packagePath(source.file, written);
  if (path !== null && existsSync(path)) return path;
  throw source.mistake(
    node,
    `${field} imports ${written}, which does not exist; write the path of a file beside the config, with its extension, or of an installed package`,
  );
}

function packagePath(from: string, name: string): string | null {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return null;
  }
}

/** A loaded module. */
export type SiteModule = {
  readonly field: CodeField;
  readonly path: string;
  readonly default: unknown;
  /** Every export. */
  readonly exports: { readonly [name: string]: unknown };
  /** An error at a tool of this module, or at the config's field if the module does not name the tool. */
  readonly mistakeAt: (tool: string | null, message: string) => WaggleError;
};

/**
 * Loads a module; `null` if the config does not have the field.
 *
 * @param write - what the module's default export should be.
 * @throws WaggleError `INVALID_ARGUMENT` with file, line and what to write instead.
 */
export async function siteModule(
  config: SiteConfig,
  field: CodeField,
  write: string,
): Promise<SiteModule | null> {
  const path = modulePath(config, field);
  const load = config.definition[field];
  if (path === null || load === undefined) return null;
  const mistakeAt = (tool: string | null, message: string): WaggleError => {
    const source = new SourceFile(path);
    const node = tool === null ? (source.definition ?? 0) : (source.toolNamed(tool) ?? 0);
    return source.mistake(node, message);
  };
  let exported: unknown;
  try {
    exported = await load();
  } catch (cause) {
    throw loadingMistake(config, field, cause, mistakeAt);
  }
  const exports = isObject(exported) ? exported : {};
  if (exports["default"] === undefined) {
    throw mistakeAt(null, `there is no default export; write export default ${write}`);
  }
  return { field, path, default: exports["default"], exports, mistakeAt };
}

/** The tool that a message of `definePageTools`, `defineEdgeTools` or `defineEnvironment` is about. */
const TOOL = /^(?:define(?:Page|Edge)Tools|environment "[^"]*": tools)\.([\w-]+)/;
const BROWSER_ONLY = /\b(document|window|navigator|localStorage|HTMLElement)\b.* is not defined/;

function loadingMistake(
  { source }: SiteConfig,
  field: CodeField,
  cause: unknown,
  mistakeAt: SiteModule["mistakeAt"],
): WaggleError {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (WaggleError.is(cause, "INVALID_ARGUMENT")) {
    return mistakeAt(TOOL.exec(message)?.[1] ?? null, message);
  }
  const hint = BROWSER_ONLY.test(message)
    ? ". Node loads the module to check it; use what only browsers have inside of run"
    : "";
  return source.mistake(
    source.nodeAt([field]),
    `${field} cannot be loaded: ${message.slice(0, 400)}${hint}`,
  );
}
