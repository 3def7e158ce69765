/** Test lines per source line. Reported for information; more is not better. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../root.ts";
import { isTestFile, typeScriptFiles } from "./source-files.ts";

/** Ratio by workspace folder, with two decimals. */
export function testsPerSourceLine(): { [name: string]: number } {
  const lines = new Map<string, { tests: number; source: number }>();
  for (const file of typeScriptFiles()) {
    const workspace = /^(packages|workers|apps)\/[^/]+(?=\/)|^trainer/.exec(file)?.[0];
    if (workspace === undefined) continue;
    const { name } = JSON.parse(readFileSync(join(ROOT, workspace, "package.json"), "utf8")) as {
      name: string;
    };
    const count = lines.get(name) ?? { tests: 0, source: 0 };
    const length = readFileSync(join(ROOT, file), "utf8").split("\n").length - 1;
    if (isTestFile(file)) count.tests += length;
    else count.source += length;
    lines.set(name, count);
  }
  return Object.fromEntries(
    [...lines]
      .filter(([, { source }]) => source > 0)
      .map(([name, { tests, source }]) => [name, Math.round((tests / source) * 100) / 100]),
  );
}
