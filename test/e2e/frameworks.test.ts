/** The example pages of frameworks, built from the packed packages in projects outside the repository, in Chromium. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { exampleAnswers } from "../fixtures/example-answers.ts";
import { filesIn } from "../fixtures/files-in.ts";
import { isLong } from "../fixtures/long.ts";
import { withDependencies } from "../fixtures/package-dependencies.ts";
import { packedPackages } from "../fixtures/packed-packages.ts";

const EXAMPLES = join(import.meta.dirname, "../../docs/examples/pages");

const folders = new Map<string, string>();
afterAll(() => {
  for (const folder of folders.values()) rmSync(folder, { recursive: true, force: true });
});

function npm(folder: string, ...args: readonly string[]): void {
  // The test's own NODE_ENV is `test`, which Next does not build for.
  const env = { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" };
  execFileSync("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
}

/** A copy of an example outside the repository, with its packages. Turbopack follows no links, so they are installed. */
function installedExample(name: string): string {
  const known = folders.get(name);
  if (known !== undefined) return known;
  const folder = mkdtempSync(join(tmpdir(), `waggle-${name}-`));
  folders.set(name, folder);
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  const needed = withDependencies("@waggle/embed");
  const tarballs = packedPackages()
    .filter(({ manifest }) => needed.has(manifest.name))
    .map(({ tarball }) => tarball);
  const quiet = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];
  npm(folder, "install", "--include=dev", ...quiet, ...tarballs);
  return folder;
}

describe.runIf(isLong())("frameworks", () => {
  test.each([
    ["vue", "Vite", "build", "dist"],
    ["svelte", "Vite", "build", "dist"],
    ["next", "Turbopack", "build", "out"],
    ["next", "webpack", "build:webpack", "out"],
  ])("a page of %s that %s builds answers", async (name, _, script, out) => {
    const folder = installedExample(name);
    rmSync(join(folder, out), { recursive: true, force: true });
    npm(folder, "run", "--silent", script);
    const requested = await exampleAnswers(filesIn(join(folder, out)));
    expect(requested.filter((url) => url.endsWith(".wasm"))).toHaveLength(1);
  });
});
