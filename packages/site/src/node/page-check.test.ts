/** The thread that compares page and environment. What it compares is tested in `page-comparison.test.ts`. */
import { existsSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { loadSite } from "./load-site.ts";
import { checkPage } from "./page-check.ts";

/** The check of the site with one text of its page tools replaced. */
async function checked(
  text: string,
  by: string,
  signal: AbortSignal = new AbortController().signal,
) {
  const { "tools.ts": tools = "" } = PLANNER_FILES;
  expect(tools).toContain(text);
  const { folder, remove } = plannerSite({ "tools.ts": tools.replace(text, by) });
  onTestFinished(remove);
  return checkPage(await loadSite(folder), signal, 80);
}

test("a page whose tools return what the environment's do passes", async () => {
  expect(await checked("let moved", "let moved")).toMatchObject({ status: "passed" });
}, 60_000);

test("a tool that never awaits is ended, and the check names it", async () => {
  expect(await checked("(moved = day)", "{ for (;;); }, timeoutMs: 20")).toEqual({
    check: "page",
    status: "failed",
    words:
      "the tool move did not return within 0.1 s at turn 1 of seed 0, train, in the page, and blocked its thread. A time limit cannot stop code that never awaits; end its loop",
  });
}, 60_000);

test("a signal ends the check while a tool never returns", async () => {
  const started = join(tmpdir(), `waggle-endless-${process.pid}`);
  onTestFinished(() => rmSync(started, { force: true }));
  const stop = new AbortController();
  const write = `process.getBuiltinModule("node:fs").writeFileSync(${JSON.stringify(started)}, "")`;
  const running = checked("(moved = day)", `{ ${write}; for (;;); }`, stop.signal);
  void vi.waitUntil(() => existsSync(started), 50_000).then(() => stop.abort());
  await expect(running).rejects.toThrow(/abort/);
}, 60_000);

test("a tool that ends the process fails the check", async () => {
  await expect(checked("(moved = day)", "process.exit(0)")).rejects.toThrow(
    "the page's tools ended the process",
  );
}, 60_000);

test("a page that cannot begin with a task's state is not compared, and the check says what to add", async () => {
  expect(await checked("export const start", "export const begin")).toMatchObject({
    status: "skipped",
    words: expect.stringMatching(/does not export start\(state\).*; add it to compare/),
  });
});
