/**
 * A public name is used: by another package or program, by a recipe, by a code snippet of the docs or by an
 * example project. A public type may also be part of what such a name takes or returns. What only tests
 * import is no use, except of `@waggle/testing`, which is made for tests.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Modules, Reach } from "./symbols.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Most public names of a package; absent = no limit. */
const MOST: Readonly<Record<string, number>> = { "@waggle/learning": 400 };

/** Names that nothing uses yet. The list may only get shorter. */
const NOT_USED_YET: Readonly<Record<string, readonly string[]>> = {
  "@waggle/collector": ["createMemoryStorage"],
  "@waggle/embed": ["PanelTexts", "WaggleAgentElement"],
  "@waggle/environments": [
    "EXCHANGE_RATES",
    "EXPERT",
    "NO_CALLS_LEFT",
    "SHOP_TASK_KINDS",
    "convertCurrency",
    "definitionsOf",
    "evaluateExpression",
    "initialShopState",
    "numbersIn",
    "runTool",
    "searchProducts",
    "shopInstance",
    "shopReducer",
    "sortProducts",
    "tool",
  ],
  "@waggle/evaluation": ["median", "quantile"],
  "@waggle/model": [
    "float16ToFloat32",
    "openSafetensors",
    "openShardedSafetensors",
    "readShardedSafetensors",
    "ropeFrequencies",
  ],
  "@waggle/runtime": [
    "FetchAdapterOptions",
    "InstallOptions",
    "deleteModel",
    "fetchAdapter",
    "installLanguageModel",
    "listModels",
    "modelMemory",
    "openModel",
    "sampleToken",
    "scoreToken",
    "webgpuLimits",
  ],
  "@waggle/testing": ["ScriptedSession", "TinkerFaults"],
  "@waggle/text": ["NANO_CHAT_TEMPLATE", "detectToolCallFormat"],
};

const isTest = (file: string): boolean =>
  /\.(test|bench|contract|test-d|fixture)\.ts$|\/testing\/|^test\//.test(file);

const find = (...patterns: string[]): string[] =>
  globSync(patterns, { cwd: ROOT, exclude: ["**/node_modules/**", "**/dist/**"] }).filter(
    (file) => !file.endsWith(".d.ts"),
  );

const FILES = find(
  "{packages,workers}/*/{src,bench}/**/*.ts",
  "trainer/{src,bench}/**/*.ts",
  "apps/**/*.ts",
  "examples/**/*.ts",
  "scripts/**/*.ts",
  "test/{contract,e2e,fixtures,golden}/**/*.ts",
);

const modules = new Modules(ROOT);
const snippets = find("README.md", "packages/*/README.md", "docs/**/*.md")
  .filter((page) => !page.startsWith("docs/reference/api/"))
  .flatMap((page) =>
    [...readFileSync(join(ROOT, page), "utf8").matchAll(/```ts\b.*\n([\s\S]*?)```/g)].map(
      ({ 1: code = "", index }) => {
        const name = `${page}@${index}.ts`;
        modules.addText(name, code);
        return name;
      },
    ),
  );

const packages = [...new Set([...modules.entries.keys()].map(packageOf))];

function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, 2).join("/");
}

/** Names that the entries of a package export, with where they are declared. */
function publicNames(name: string): Map<string, { readonly file: string; readonly name: string }> {
  const names = new Map<string, { readonly file: string; readonly name: string }>();
  for (const [entry, file] of modules.entries) {
    if (packageOf(entry) !== name || !file.endsWith(".ts")) continue;
    for (const one of modules.exportsOf(file)) names.set(one, modules.originOf(file, one));
  }
  return names;
}

/** Files whose imports make a name of the package used. */
function usersOf(name: string): string[] {
  const folder = name === "@waggle/trainer" ? "trainer/" : `packages/${name.split("/")[1]}/`;
  const others = FILES.filter((file) => !file.startsWith(folder));
  const users = name === "@waggle/testing" ? others : others.filter((file) => !isTest(file));
  const recipes = FILES.filter((file) => file.startsWith(`${folder}src/recipes/`) && !isTest(file));
  return [...users, ...recipes, ...snippets];
}

/** Public names of a package that nothing uses. */
function unused(name: string): string[] {
  const reach = new Reach(modules);
  const direct = new Set<string>();
  for (const user of usersOf(name))
    for (const origin of modules.importsOf(user)) {
      direct.add(`${origin.file} > ${origin.name}`);
      reach.add(origin);
    }
  return [...publicNames(name)]
    .filter(([, origin]) => !direct.has(`${origin.file} > ${origin.name}`))
    .filter(([, origin]) => !(modules.isType(origin) && reach.has(origin)))
    .map(([one]) => one)
    .toSorted();
}

test.each(packages)("%s has no public name that nothing uses", (name) => {
  expect(unused(name)).toEqual(NOT_USED_YET[name] ?? []);
});

test.each(Object.entries(MOST))("%s has at most %i public names", (name, most) => {
  expect(publicNames(name).size).toBeLessThanOrEqual(most);
});
