/** The trainer's folders: a limited number of files in each, and no cycle of imports between folders. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const SOURCE = "trainer/src";
const MOST_FILES = 40;

const files = globSync(`${SOURCE}/**/*.ts`, { cwd: ROOT });
const sources = files.filter((file) => !/\.(test|fixture|bench)\.ts$/.test(file));

/** Files of the trainer that a file imports. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), "utf8");
  return [...text.matchAll(/(?:from|import\()\s*"(\.[^"]+\.ts)"/g)].map(([, specifier]) =>
    join(dirname(file), specifier as string),
  );
}

test("the root of the trainer contains only index.ts", () => {
  const atRoot = files.filter((file) => dirname(file) === SOURCE).map((file) => basename(file));
  expect(atRoot).toEqual(["index.ts"]);
});

test("a folder has at most 40 source files", () => {
  const counts = new Map<string, number>();
  for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([]);
});

test("no file imports from an enclosing folder that imports it back", () => {
  const imports = files.flatMap((file) =>
    importsOf(file).map((target) => ({ file, from: dirname(file), to: dirname(target) })),
  );
  const edges = new Set(imports.map(({ from, to }) => `${from} > ${to}`));
  const upward = imports.filter(
    ({ from, to }) => from.startsWith(`${to}/`) && edges.has(`${to} > ${from}`),
  );
  expect(upward).toEqual([]);
  expect(edges.size).toBeGreaterThan(50);
});

test("folders do not import each other, directly or through other folders", () => {
  const between = sources.flatMap((file) =>
    importsOf(file)
      .map((target) => ({ file, target, from: dirname(file), to: dirname(target) }))
      .filter(({ from, to }) => from !== to && to.startsWith(SOURCE)),
  );
  const imported = Map.groupBy(between, ({ from }) => from);
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean => {
    if (from === wanted) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (imported.get(from) ?? []).some(({ to }) => reaches(to, wanted, seen));
  };
  const cyclic = between.filter(({ from, to }) => reaches(to, from));
  expect(cyclic.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  expect(imported.size).toBeGreaterThan(20);
});
