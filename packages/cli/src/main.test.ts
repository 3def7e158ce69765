/** What the command prints while its libraries load. A copy of the file without them stops there. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

test("dev says what it does before it loads anything, and other commands print nothing", () => {
  const folder = mkdtempSync(join(tmpdir(), "waggle-main-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  const main = join(folder, "main.ts");
  copyFileSync(join(import.meta.dirname, "main.ts"), main);
  const printed = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8" });
    expect(stderr).toContain("Cannot find package");
    return stdout;
  };
  expect(printed("dev", "./my-site")).toBe("waggle    loading the site …\n");
  expect(printed("dev", "--help")).toBe("");
  expect(printed("status")).toBe("");
});
