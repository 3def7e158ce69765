/**
 * Runs the guide to a new recipe: its recipe compiles against the built packages, has at most sixty lines, contains the
 * parts that its row names, and learns when the command runs it.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const guide = readFileSync(join(ROOT, "docs", "tutorials", "write-a-recipe.md"), "utf8");
const code = /^```ts recipe\n([\s\S]*?)^```$/m.exec(guide)?.[1] ?? "";
let folder: string;

const run = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "waggle-recipe-"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  writeFileSync(join(folder, "optiagent.ts"), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the recipe of the guide compiles and has at most sixty lines", () => {
  expect(code.trim().split("\n").length).toBeLessThanOrEqual(60);
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  expect(run(compiler, "-b", "packages/learning").stdout).toBe("");
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "ES2024",
        module: "NodeNext",
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
      },
      files: ["optiagent.ts"],
    }),
  );
  expect(run(compiler, "-p", folder).stdout).toBe("");
});

test("the command runs it: rolls out, learns and evaluates on held-out tasks", () => {
  const { stdout, stderr, status } = run(
    "--conditions=source",
    "packages/cli/src/main.ts",
    "train",
    "--json",
    "--recipe",
    join(folder, "optiagent.ts"),
    "--env",
    "apps/demo",
    "--model",
    "packages/model/nano",
    "--steps",
    "1",
    "--tasks",
    "4",
    "--set",
    "tasks=4",
    "--set",
    "groupSize=4",
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const step = lines.find(({ event }) => event === "step") as { metrics: Record<string, number> };
  expect(step.metrics["tokens"]).toBeGreaterThan(0);
  expect(step.metrics["gradientNorm"]).toBeGreaterThan(0);
  expect(lines.at(-1)).toMatchObject({ recipe: "optiagent", environment: "shop" });
});
