/** The files of a site that a config or an environment imports, directly or through others. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseSync } from "oxc-parser";

/**
 * Absolute paths of a module and of the modules that it imports by relative paths. Packages are left out, and so are
 * files that do not exist or cannot be parsed yet.
 */
export function modulesOf(entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const file of found) {
    for (const written of existsSync(file) ? importsOf(file) : []) {
      const path = resolve(dirname(file), written);
      if (written.startsWith(".") && existsSync(path)) found.add(path);
    }
  }
  return [...found];
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, "utf8");
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ];
}
