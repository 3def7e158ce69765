/** Builds of a page of ours, also by two who want it at the same time. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildPage, type Page } from "../../packages/dev/src/pages/pages.ts";

test("a page is built once, also for two at the same time, and again when it is gone", async () => {
  const root = mkdtempSync(join(tmpdir(), "waggle-page-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "index.html"), "<!doctype html><title>Small</title>");
  const out = join(root, ".waggle", "built");
  const page: Page = { name: "small", root, out, project: process.cwd(), isOurs: true };
  const builtAt = () => statSync(join(out, "index.html")).mtimeMs;
  let builds = 0;
  const onStart = (): void => void (builds += 1);
  const build = () => buildPage(page, undefined, onStart).then(builtAt);

  const [first, second] = await Promise.all([build(), build()]);
  expect(second).toBe(first);
  expect(await build()).toBe(first);
  // Only a build is announced.
  expect(builds).toBe(1);
  rmSync(out, { recursive: true });
  expect(await build()).toBeGreaterThan(first);
});
