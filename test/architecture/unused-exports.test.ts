/**
 * No export exists only for tests. Every export of a package or of the trainer must be reachable from a program, from a
 * snippet of the docs, or from a package entry for outside users. Knip cannot check this, because it treats every
 * package entry and every test as a root.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Modules, Reach } from "../../scripts/health/symbols.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Programs: the roots of the search. */
const PROGRAMS = [
  "apps/*/*.ts",
  "apps/*/src/**/*.ts",
  "apps/demo/eval-base/**/*.ts",
  "workers/*/src/**/*.ts",
  "packages/{cli,create-waggle}/src/main.ts",
  "packages/dev/src/{backend/backend-main,pages/page-process,people/people-main,processes/watchdog}.ts",
  "packages/dev/src/{runtimes/repeated-turns,stack/trainer-main}.ts",
  "packages/site/src/node/page-thread.ts",
  "trainer/src/environment-check/endless-call-thread.ts",
  "trainer/src/{commands/train-edge-main,refusal/refuse-modules,studies/live-signals/learner-main}.ts",
  "packages/runtime/src/worker/{wasm,webgpu}.ts",
  "packages/embed/src/script-tag/index.ts",
  "scripts/**/*.ts",
  "{trainer,packages/*}/bench/**/*.ts",
];

/** Packages or entries that are imported outside this repository, with the reason. */
const FOR_OUTSIDERS: Record<string, string> = {
  "@waggle/testing": "Published fakes and matchers for the tests of other projects.",
};

/** Pages whose snippets count as use. */
const PAGES = ["README.md", "packages/*/README.md", "docs/**/*.md"];
const GENERATED = ["**/node_modules/**", "docs/reference/api/**"];

const isTest = (file: string) =>
  /\.(test|bench|contract|test-d|fixture)\.ts$|\/testing\//.test(file);
const text = (file: string) => readFileSync(join(ROOT, file), "utf8");
const sources = (...patterns: string[]) =>
  globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/dist/**"] }).filter(
    (file) => !isTest(file) && !file.endsWith(".d.ts"),
  );

const modules = new Modules(ROOT);

/** Declarations that programs and snippets reach. */
function reachOfPrograms(): Reach {
  const reach = new Reach(modules);
  for (const file of sources(...PROGRAMS)) reach.addFile(file);
  for (const page of globSync(PAGES, { cwd: ROOT, exclude: GENERATED }))
    for (const { 1: ending, 2: code = "", index } of text(page).matchAll(
      /```(tsx?)\b.*\n([\s\S]*?)```/g,
    ))
      reach.addText(`${page}@${index}.${ending}`, code);
  return reach;
}

const entriesOf = (name: string) =>
  [...modules.entries].filter(([entry]) => entry === name || entry.startsWith(`${name}/`));

/** Exported declarations of a file that are not reached. */
const unreached = (reach: Reach, file: string): string[] =>
  modules
    .exportsOf(file)
    .map((name) => modules.originOf(file, name))
    .filter((origin) => !reach.has(origin))
    .map((origin) => `${origin.file} > ${origin.name}`);

test("every export is used outside tests", () => {
  const reach = reachOfPrograms();
  for (const name of Object.keys(FOR_OUTSIDERS))
    for (const [, file] of entriesOf(name)) reach.addFile(file);
  const files = sources("packages/*/src/**/*.ts", "trainer/src/**/*.ts");
  expect(files.length).toBeGreaterThan(500);
  expect([...new Set(files.flatMap((file) => unreached(reach, file)))]).toEqual([]);
});

test("every exemption for outside users is still needed", () => {
  const reach = reachOfPrograms();
  const needless = Object.keys(FOR_OUTSIDERS).filter((name) =>
    entriesOf(name).every(([, file]) => unreached(reach, file).length === 0),
  );
  expect(needless).toEqual([]);
});

test("reached exports are distinguished from dead ones by name, alias and namespace", () => {
  const reach = new Reach(modules);
  reach.addText(
    "test/architecture/planted.ts",
    `import * as parts from "@waggle/learning/parts";
     import { mean as average } from "@waggle/evaluation";
     export const total = (values: number[]) => average(values) + parts.cispo.length;`,
  );
  const found = ["@waggle/learning/parts", "@waggle/evaluation"].flatMap((name) =>
    unreached(reach, modules.entries.get(name) ?? ""),
  );
  expect(found).toContain("packages/learning/src/losses/policy/soft-gate.ts > softGate");
  expect(found).toContain("packages/evaluation/src/holm.ts > holm");
  expect(found).not.toContain("packages/learning/src/losses/policy/cispo.ts > cispo");
  expect(found).not.toContain("packages/evaluation/src/summary.ts > mean");
});
