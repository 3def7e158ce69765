/** The message for a Node version that is too old. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Runs a file with another `process.versions.node`. */
function under(version: string, file: string, env: Readonly<Record<string, string>> = {}) {
  const lie = `Object.defineProperty(process.versions, "node", { value: "${version}" })`;
  const preload = `data:text/javascript,${encodeURIComponent(lie)}`;
  return spawnSync(process.execPath, ["--import", preload, join(ROOT, file), "--version"], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
}

test("the waggle command needs Node 22 and says so in one sentence before it loads anything", () => {
  const { status, stdout, stderr } = under("20.19.0", "packages/cli/src/main.ts");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toBe(
    "waggle needs Node 22 or newer, but this is Node 20.19.0; install a newer version from https://nodejs.org\n",
  );
  const source = readFileSync(join(ROOT, "packages/cli/src/main.ts"), "utf8");
  expect(source).not.toMatch(/^import /m);
});

test("the repository's scripts start under Node 20, and under Node 22 if they are told to stay in it", () => {
  const sentence = (oldest: number, version: string): string =>
    `This needs Node ${oldest} or newer, but this is Node ${version}; install a newer version from https://nodejs.org\n`;
  const old = under("18.20.0", "scripts/run.mjs");
  expect([old.status, old.stderr]).toEqual([1, sentence(20, "18.20.0")]);
  const current = under("20.19.0", "scripts/run.mjs", { WAGGLE_NODE: "current" });
  expect([current.status, current.stderr]).toEqual([1, sentence(22, "20.19.0")]);
});

test("run.mjs uses only syntax that Node 20 supports", () => {
  // Any later parser accepts everything that Node 20 accepts, apart from import attributes.
  expect(() =>
    execFileSync(process.execPath, ["--check", join(ROOT, "scripts/run.mjs")]),
  ).not.toThrow();
  expect(readFileSync(join(ROOT, "scripts/run.mjs"), "utf8")).not.toMatch(
    / with \{ type|\busing\b/,
  );
});
