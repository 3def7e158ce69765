/**
 * The TypeScript in docs/ compiles. Each block that is marked `ts` or `tsx` is one module. A longer mark (`ts page`,
 * `ts recipe`) belongs to a guide that has an end-to-end test, and its blocks are left out here.
 */
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const GENERATED = ["**/node_modules/**", "docs/reference/api/**"];

/** Packages that the snippets import. Building them also builds their dependencies. */
const USED = ["embed", "engine", "environments", "exchange", "testing"];

/** @returns the compiler's output; empty if there are no errors. */
function tsc(...args: readonly string[]): string {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  return spawnSync(process.execPath, [compiler, ...args], { cwd: ROOT, encoding: "utf8" }).stdout;
}

/** Snippets by name. The name tells the place of the block: `concepts-group-2.ts`. */
function snippets(): Map<string, string> {
  const found = new Map<string, string>();
  for (const page of globSync("docs/**/*.md", { cwd: ROOT, exclude: GENERATED })) {
    const blocks = readFileSync(join(ROOT, page), "utf8").matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm);
    for (const [index, [, ending = "", code = ""]] of [...blocks].entries()) {
      const name = page.slice("docs/".length, -".md".length).replaceAll("/", "-");
      found.set(`${name}-${index + 1}.${ending}`, code);
    }
  }
  return found;
}

test("every block of TypeScript in the documentation compiles", { timeout: 120_000 }, () => {
  const found = snippets();
  expect(found.size).toBeGreaterThan(8);
  const folder = mkdtempSync(join(tmpdir(), "waggle-docs-"));
  try {
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    for (const [name, code] of found) writeFileSync(join(folder, name), code);
    const compilerOptions = {
      target: "ES2024",
      module: "ESNext",
      moduleResolution: "bundler",
      lib: ["ES2024", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
      types: ["node"],
      jsx: "react-jsx",
      strict: true,
      skipLibCheck: true,
      noEmit: true,
    };
    const files = [...found.keys()];
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    expect(tsc("-b", ...USED.map((name) => `packages/${name}`))).toBe("");
    expect(tsc("-p", folder)).toBe("");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
