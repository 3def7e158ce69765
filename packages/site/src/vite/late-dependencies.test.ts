import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { lateDependencies } from "./late-dependencies.ts";
import { waggle } from "./plugin.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "waggle-late-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Writes the package's languages into a folder. */
function install(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const exports = { "./languages": "./languages.js" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "@waggle/embed", exports }));
  writeFileSync(join(folder, "languages.js"), "export const german = {};");
}

test("an installed package is bundled in advance, so that the page is not reloaded when it is asked for", async () => {
  const root = newFolder();
  install(join(root, "node_modules/@waggle/embed"));
  expect(lateDependencies(root)).toEqual(["@waggle/embed/languages"]);
  const { config } = waggle({ folder: root });
  const given = await (config as (own: object, env: object) => unknown)({}, {});
  expect(given).toMatchObject({ optimizeDeps: { include: ["@waggle/embed/languages"] } });
});

test("a package that is missing or linked is left to Vite", () => {
  const root = newFolder();
  expect(lateDependencies(root)).toEqual([]);
  const linked = join(newFolder(), "embed");
  install(linked);
  mkdirSync(join(root, "node_modules/@waggle"), { recursive: true });
  symlinkSync(linked, join(root, "node_modules/@waggle/embed"));
  expect(lateDependencies(root)).toEqual([]);
});
