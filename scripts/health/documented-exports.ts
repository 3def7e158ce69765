/** Counts public names that have a documentation comment at their declaration. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { Modules } from "./symbols.ts";

/** Share of distinct public declarations with a documentation comment, in [0, 1]. */
export function documentedExports(): number {
  const modules = new Modules(ROOT);
  const declared = new Map<string, boolean>();
  for (const file of modules.entries.values()) {
    for (const name of modules.exportsOf(file)) {
      const origin = modules.originOf(file, name);
      const key = `${origin.file} > ${origin.name}`;
      if (!declared.has(key)) declared.set(key, isDocumented(origin.file, origin.name));
    }
  }
  const documented = [...declared.values()].filter(Boolean).length;
  return declared.size === 0 ? 1 : documented / declared.size;
}

/** A single export counts as documented if its file has a header. */
function isDocumented(file: string, name: string): boolean {
  const text = readFileSync(join(ROOT, file), "utf8");
  const declaration = new RegExp(
    `\\*/\\n(export )?(declare )?(async )?(abstract )?(const|function\\*?|class|type|interface|let) ${name}\\b`,
  );
  if (declaration.test(text)) return true;
  const exports = text.match(
    /^export (async )?(abstract )?(const|function\*?|class|type|interface)/gm,
  );
  return exports?.length === 1 && text.startsWith("/**");
}
