/** Finds import cycles. Type imports count too, because files in a cycle have no order of layers. */
import { ROOT } from "../root.ts";
import { isTestFile, typeScriptFiles } from "./source-files.ts";
import { Modules } from "./symbols.ts";

/** Strongly connected groups of files (Tarjan 1972). */
export function importCycles(): string[][] {
  const modules = new Modules(ROOT);
  const files = typeScriptFiles().filter((file) => !isTestFile(file));
  return stronglyConnected(files, (file) => modules.filesNamedBy(file)).filter(
    (group) => group.length > 1,
  );
}

function stronglyConnected(
  nodes: readonly string[],
  next: (node: string) => readonly string[],
): string[][] {
  const known = new Set(nodes);
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (node: string): void => {
    const at = index.size;
    index.set(node, at);
    low.set(node, at);
    stack.push(node);
    for (const other of next(node)) {
      if (!known.has(other)) continue;
      if (!index.has(other)) visit(other);
      if (stack.includes(other)) low.set(node, Math.min(lowOf(node), lowOf(other)));
    }
    if (lowOf(node) === at) groups.push(stack.splice(stack.indexOf(node)).toSorted());
  };
  const lowOf = (node: string): number => low.get(node) ?? Number.MAX_SAFE_INTEGER;
  for (const node of nodes) if (!index.has(node)) visit(node);
  return groups;
}
