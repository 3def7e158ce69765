/**
 * `npm run docs`: builds the documentation site, with a reference of every public export. Dead links fail the
 * build. The first run installs TypeDoc and VitePress in `docs`, because TypeDoc needs TypeScript 6 and nothing
 * else needs either of them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createCommand } from "../trainer/src/commands/command-line.ts";
import { ROOT } from "./root.ts";

const DOCS = join(ROOT, "docs");
const ENTRIES = join(DOCS, ".vitepress/api-entries");

const { api } = createCommand("npm run docs --")
  .description(
    "build the documentation site in docs/.vitepress/dist, with the API reference; a dead link fails the build",
  )
  .option("--no-api", "leave out the API reference")
  .parse()
  .opts<{ api: boolean }>();

/** Installs the packages of `docs/package-lock.json` unless they are installed. */
function install(): void {
  const lock = readFileSync(join(DOCS, "package-lock.json"), "utf8");
  const marker = join(DOCS, "node_modules/.waggle-installed");
  if (existsSync(marker) && readFileSync(marker, "utf8") === lock) return;
  console.log("1/3 installing TypeDoc and VitePress");
  // Not `npm ci`; run.mjs explains why.
  const { status } = spawnSync(
    "npm",
    ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"],
    {
      cwd: DOCS,
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(marker, lock);
}

type Exports = { readonly [entry: string]: { readonly source: string } };

/** The header comment of a file as text. */
function headerOf(file: string): string {
  const [, header = ""] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, "utf8")) ?? [];
  return header.replace(/^\s*\*? ?/gm, "").trim();
}

/** Writes a file for each public entry of a package. Its page has the import path as name, and the entry's header. */
function writeEntries(): number {
  rmSync(ENTRIES, { recursive: true, force: true });
  let entries = 0;
  for (const file of globSync(["packages/*/package.json", "trainer/package.json"], { cwd: ROOT })) {
    const manifest: unknown = JSON.parse(readFileSync(join(ROOT, file), "utf8"));
    const { name, exports } = manifest as { name: string; exports: Exports };
    for (const [entry, { source }] of Object.entries(exports)) {
      const imported = join(name, entry);
      const header = headerOf(join(ROOT, dirname(file), source)).replaceAll("\n", "\n * ");
      const path = join(ENTRIES, `${imported}.ts`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        `/**\n * ${header}\n *\n * @module ${imported}\n */\nexport * from "${imported}";\n`,
      );
      entries += 1;
    }
  }
  return entries;
}

function run(program: string, ...args: readonly string[]): void {
  const manifest = createRequire(join(DOCS, "package.json")).resolve(`${program}/package.json`);
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { [name: string]: string } };
  const script = join(dirname(manifest), bin[program] ?? "");
  const { status } = spawnSync(process.execPath, [script, ...args], {
    cwd: DOCS,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}

install();
rmSync(join(DOCS, "reference/api"), { recursive: true, force: true });
if (api) {
  console.log(`2/3 API reference of ${writeEntries()} package entries`);
  run("typedoc", "--options", "typedoc.json");
}
console.log("3/3 site");
run("vitepress", "build");
console.log(`\nthe site is in ${join(DOCS, ".vitepress/dist")}`);
