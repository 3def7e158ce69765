/**
 * Code of users, named on a command line: `./file.ts`, `some-package` or either with `#name`. Files are found
 * from the working folder and packages in its node_modules, so a project needs nothing but what it installs.
 */
import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { WaggleError } from "@waggle/protocol";
import { resolve as resolveFrom } from "import-meta-resolve";

export type ModuleSource = {
  /** As it was written, without the export's name. */
  readonly module: string;
  /** Default `default`. */
  readonly exportName: string;
};

/** Splits `module#name`. */
export function moduleSource(text: string): ModuleSource {
  const at = text.lastIndexOf("#");
  // Packages have private imports that begin with it.
  if (at <= 0) return { module: text, exportName: "default" };
  return { module: text.slice(0, at), exportName: text.slice(at + 1) || "default" };
}

/** Whether it is the path of a file, and not the name of a package. */
export function isFilePath(module: string): boolean {
  return /^\.{1,2}[/\\]/.test(module) || isAbsolute(module) || /^[^@/]+\.[cm]?[jt]s$/.test(module);
}

/**
 * The file that a module or another file of a package is.
 *
 * @param option - names it in errors: `--reward`.
 * @throws WaggleError `NOT_FOUND` where there is no such file, or no such package is installed.
 */
export function resolvedFile(
  option: string,
  module: string,
  folder: string = process.cwd(),
): string {
  if (isFilePath(module)) {
    const path = resolve(folder, module);
    if (existsSync(path)) return path;
    throw new WaggleError("NOT_FOUND", `${option} ${module}: there is no file ${path}`);
  }
  try {
    return fileURLToPath(resolveFrom(module, pathToFileURL(join(folder, "any.js")).href));
  } catch (cause) {
    throw new WaggleError("NOT_FOUND", `${option} ${module}: ${reasonOf(cause, module, folder)}`, {
      cause,
    });
  }
}

/**
 * What a module exports under a name.
 *
 * @throws WaggleError `NOT_FOUND`; `INVALID_ARGUMENT` where it does not load or has no such export.
 */
export async function loadExport(
  option: string,
  text: string,
  folder: string = process.cwd(),
): Promise<unknown> {
  const { module, exportName } = moduleSource(text);
  const file = resolvedFile(option, module, folder);
  let exported: { readonly [name: string]: unknown };
  try {
    exported = (await import(pathToFileURL(file).href)) as typeof exported;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${option} ${module} cannot be loaded: ${message.slice(0, 400)}${hintOf(cause)}`,
      { cause },
    );
  }
  if (Object.hasOwn(exported, exportName)) return exported[exportName];
  const names = Object.keys(exported).filter((name) => name !== "default");
  const others =
    names.length === 0 ? "it exports nothing" : `it exports ${names.slice(0, 12).join(", ")}`;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${option} ${module} has no ${exportName === "default" ? "default export" : `export ${exportName}`}; ${others}. Write ${module}#name for a named export`,
  );
}

function reasonOf(cause: unknown, module: string, folder: string): string {
  const { code } = cause as NodeJS.ErrnoException;
  const [first = "", second = ""] = module.split("/");
  const name = first.startsWith("@") ? `${first}/${second}` : first;
  if (code === "ERR_MODULE_NOT_FOUND") {
    return `package ${name} is not installed in ${folder}; run npm install ${name}, or give the path of a file, such as ./${name}`;
  }
  if (code === "ERR_PACKAGE_PATH_NOT_EXPORTED") {
    return `package ${name} does not export ${module.slice(name.length + 1) || "a main module"}`;
  }
  return cause instanceof Error ? cause.message : String(cause);
}

/** What to do about errors of Node that name no remedy. */
const HINTS: { readonly [code: string]: string } = {
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
    ". Node runs no TypeScript of installed packages: publish the package as JavaScript",
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    ". Node only strips types: leave out enums, namespaces and parameter properties",
  ERR_UNKNOWN_FILE_EXTENSION:
    ". This Node does not run TypeScript; use Node 22.18 or newer, or compile the file to JavaScript",
};

function hintOf(cause: unknown): string {
  return HINTS[(cause as NodeJS.ErrnoException | null)?.code ?? ""] ?? "";
}
