/**
 * Projects with stricter needs than our own: CommonJS programs that `require()` the packed packages, and TypeScript
 * that also checks the types of its dependencies.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { PackedPackage } from "../../scripts/packages/packed-package.ts";
import { ROOT } from "../../scripts/root.ts";
import { isLong } from "../fixtures/long.ts";
import { linkProject } from "../fixtures/linked-project.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";

const project = mkdtempSync(join(tmpdir(), "waggle-strict-"));
let packages: readonly PackedPackage[] = [];

beforeAll(() => {
  packages = packedPackages();
  linkProject(project, packages);
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** Names of the entries that have types. */
function typedEntries(hasCode: boolean): string[] {
  return packages.flatMap(({ manifest: { name, exports = {} } }) =>
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === "string" || "default" in target !== hasCode
        ? []
        : [`${name}${entry.slice(1)}`],
    ),
  );
}

/** Entries that no program in Node requires: code for pages, for their workers and for Cloudflare's Workers, and programs. */
const NOT_FOR_NODE =
  /^@waggle\/(dashboard|edge|practice(\/live)?|runtime\/worker\/\w+|trainer\/(train-edge|refuse-modules))$/;

test("every entry for Node loads with require()", () => {
  const entries = typedEntries(true).filter((name) => !NOT_FOR_NODE.test(name));
  expect(entries).toContain("@waggle/runtime/node");
  writeFileSync(
    join(project, "main.cjs"),
    `const failed = {};
for (const name of ${JSON.stringify(entries)}) {
  try {
    if (Object.keys(require(name)).length === 0) failed[name] = "it exports nothing";
  } catch (error) {
    failed[name] = String(error);
  }
}
console.log(JSON.stringify(failed));
process.exit();
`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ["main.cjs"], {
    cwd: project,
    encoding: "utf8",
    // The test runner's loader must not affect the packages.
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  expect({ failed: JSON.parse(stdout) as unknown, stderr }).toEqual({ failed: {}, stderr: "" });
});

type Options = { readonly types: readonly string[]; readonly lib: readonly string[] };

const DOM = ["DOM", "DOM.Iterable", "DOM.AsyncIterable"];

// publint and are-the-types-wrong check the packages in every run.
test.runIf(isLong()).each<[string, (name: string) => boolean, Options]>([
  ["pages and programs", (name) => name !== "@waggle/edge", { types: ["node"], lib: DOM }],
  [
    "Workers",
    (name) => name === "@waggle/edge",
    // These types have a fetch, a Request and so on that differ from the DOM's.
    { types: ["@cloudflare/workers-types"], lib: [] },
  ],
])("the types for %s compile without skipLibCheck", (_, isIncluded, { types, lib }) => {
  const entries = typedEntries(true).filter(isIncluded);
  expect(entries.length).toBeGreaterThan(0);
  const uses = entries.map((name, index) => `import * as m${index} from ${JSON.stringify(name)};`);
  const used = `export const used: object[] = [${entries.map((__, index) => `m${index}`).join(", ")}];`;
  writeFileSync(join(project, "uses.ts"), [...uses, used, ""].join("\n"));
  const compilerOptions = {
    target: "ES2024",
    module: "NodeNext",
    lib: ["ES2024", ...lib],
    types: [...types, ...(lib.length > 0 ? typedEntries(false) : [])],
    strict: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["uses.ts"] }),
  );
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  expect(spawnSync(process.execPath, [compiler, "-p", project], { encoding: "utf8" }).stdout).toBe(
    "",
  );
});
