/**
 * The README of every published package: its examples compile against the built packages, and a block marked `run` prints
 * what its comments say.
 */
import { execFileSync, spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { publicPackages } from "../../scripts/packages/public-packages.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const COMPILER = join(ROOT, "node_modules/typescript/bin/tsc");

type Example = { readonly name: string; readonly info: string; readonly code: string };

const packages = publicPackages();
const examples: Example[] = packages.flatMap(({ folder, manifest: { name } }) =>
  [
    ...readFileSync(join(folder, "README.md"), "utf8").matchAll(/^```ts ?(.*)\n([\s\S]*?)^```$/gm),
  ].map(([, info = "", code = ""], i) => ({ name: `${name.slice(8)}-${i}`, info, code })),
);

/** Not installed by name: `npm create` runs the first, and `@waggle/cli` depends on the others. */
const NOT_INSTALLED = ["create-waggle", "@waggle/dashboard", "@waggle/practice"];

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-readmes-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const { name, code } of examples) {
    writeFileSync(join(folder, `${name}.ts`), code);
    // Other examples import a file that is named in the first line.
    const [, path] = /^\/\/ ((?:src\/)[\w-]+\.ts)\n/.exec(code) ?? [];
    if (path === undefined) continue;
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  mkdirSync(join(folder, "practice"));
  copyFileSync(
    join(ROOT, "docs/examples/budget-sheet.ts"),
    join(folder, "practice/environment.ts"),
  );
  execFileSync(process.execPath, [COMPILER, "-b"], { cwd: ROOT, stdio: "inherit" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(packages.map(({ folder: at, manifest }) => [manifest.name, at]))(
  "the README of %s says how to get it and has an example",
  (name, at) => {
    const readme = readFileSync(join(at, "README.md"), "utf8");
    expect(readme).toMatch(new RegExp(`^# ${name}$`, "m"));
    const [start, example] = NOT_INSTALLED.includes(name)
      ? [/^(npx waggle|npm create waggle)\b/m, /^```sh\b/m]
      : [new RegExp(`^npm install .*${name}\\b`, "m"), /^```(ts|html)\b/m];
    expect(readme).toMatch(start);
    expect(readme).toMatch(example);
  },
);

test("every example compiles", () => {
  const compilerOptions = {
    target: "ES2024",
    module: "ESNext",
    moduleResolution: "bundler",
    lib: ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    types: ["node", "@cloudflare/workers-types", "@waggle/site/client"],
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  };
  const files = examples.map(({ name }) => `${name}.ts`);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  expect(spawnSync(process.execPath, [COMPILER, "-p", folder], { encoding: "utf8" }).stdout).toBe(
    "",
  );
});

const runnable = examples.filter(({ info }) => info === "run");

test("most packages have an example that runs", () => {
  expect(runnable.length).toBeGreaterThanOrEqual(packages.length - 3);
});

test.concurrent.for(runnable)(
  "the example $name prints what it says",
  ({ name, code }, { expect }) => {
    const expected = [...code.matchAll(/ \/\/ prints: (.*)$/gm)].map(([, text]) => text);
    expect(expected.length).toBeGreaterThan(0);
    // The test runner's loader must not affect the packages.
    const env = { ...process.env, NODE_OPTIONS: "--disable-warning=ExperimentalWarning" };
    const ran = spawnSync(process.execPath, [`${name}.ts`], { cwd: folder, encoding: "utf8", env });
    expect(ran.stderr).toBe("");
    expect(ran.stdout.trimEnd().split("\n")).toEqual(expected);
  },
);
