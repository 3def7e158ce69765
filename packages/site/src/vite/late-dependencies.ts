/**
 * Packages that a page imports through the module of the plugin. Vite's scan for dependencies does not see them there. It would
 * find them when the page asks for them, and reload the page, with what the visitor has typed.
 */
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const NAMES = ["@waggle/embed/languages"];

/** Those that are installed in this project. A linked package is none: Vite does not bundle it in advance. */
export function lateDependencies(root: string): string[] {
  const { resolve } = createRequire(join(root, "package.json"));
  return NAMES.filter((name) => {
    try {
      return realpathSync(resolve(name)).split(/[/\\]/).includes("node_modules");
    } catch {
      return false;
    }
  });
}
