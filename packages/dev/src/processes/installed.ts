/** Where installed packages and programs are. In a checkout of Waggle's repository, packages run from source. */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { WaggleError } from "@waggle/protocol";
import { resolvedFile } from "@waggle/trainer";

/** Whether this file runs from source, so that child processes and bundlers take the packages' sources as well. */
export const FROM_SOURCE: boolean = import.meta.filename.endsWith(".ts");

/** Options of Node for a program that imports packages of the repository. */
export const NODE_OPTIONS: readonly string[] = FROM_SOURCE
  ? ["--conditions=source", "--disable-warning=ExperimentalWarning"]
  : [];

/** The folder of a package that this one depends on. */
export function ownPackage(name: string): string {
  return dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
}

/** A program of this package, such as `pages/page-process`. */
export function ownProgram(path: string): string {
  return join(import.meta.dirname, "..", `${path}${FROM_SOURCE ? ".ts" : ".js"}`);
}

/** A file of a tool that a project may install in its own version; by default the version that comes with this package. */
export function toolFile(file: string, project: string): string {
  try {
    return resolvedFile("tool", file, project);
  } catch (error) {
    if (!WaggleError.is(error, "NOT_FOUND")) throw error;
    return fileURLToPath(import.meta.resolve(file));
  }
}
