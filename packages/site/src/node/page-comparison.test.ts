import { afterEach, expect, test } from "vitest";
import { PLANNER_FILES, plannerSite } from "../../../../test/fixtures/planner-site.ts";
import { loadSite } from "./load-site.ts";
import { comparePage } from "./page-comparison.ts";

const removals: (() => void)[] = [];
afterEach(() => removals.splice(0).forEach((remove) => remove()));

/** The check of the site with one text of its page tools replaced. */
async function checked(text: string, by: string) {
  const before = PLANNER_FILES["tools.ts"] ?? "";
  expect(before).toContain(text);
  return checkedWith({ "tools.ts": before.replace(text, by) });
}

async function checkedWith(changed: { readonly [file: string]: string }) {
  const { folder, remove } = plannerSite(changed);
  removals.push(remove);
  const site = await loadSite(folder);
  return comparePage(site, site.environment as NonNullable<typeof site.environment>);
}

test("a page whose tools return what the environment's do passes", async () => {
  expect(await checked("let moved", "let moved")).toMatchObject({
    status: "passed",
    words: expect.stringMatching(/^in 100 tasks with \d+ turns, the page's tools return what/),
  });
});

test("a page that returns something else fails at the first turn that differs", async () => {
  const { status, words, task } = await checked("(moved = day)", "((moved = day), { day })");
  expect(status).toBe("failed");
  expect(words).toMatch(
    /^replay-mismatch: the site's page and its environment disagree at turn 1 of seed 0, train: move\(\{"day":"(\w+)"\}\) gives \{"day":"\1"\} in the page and "\1" in the environment$/,
  );
  expect(task).toMatchObject({ seed: 0, split: "train" });
});

test("of long results, the part that differs is shown", async () => {
  const by = '(moved = day, "same ".repeat(100) + "end")';
  const { "tools.ts": tools = "", "environment.ts": environment = "" } = PLANNER_FILES;
  const { words } = await checkedWith({
    "tools.ts": tools.replace("(moved = day)", by.replace("end", "page")),
    "environment.ts": environment.replace("(state.day = day)", by.replace("moved", "state.day")),
  });
  expect(words).toMatch(/gives ….* same page" in the page and ….* same end" in the environment$/);
});

test("a page tool that throws where the environment's does not fails", async () => {
  const broken = '{ throw new Error("no calendar"); }';
  expect((await checked("(moved = day)", broken)).words).toMatch(
    /gives the error TOOL_FAILED \("no calendar"\) in the page and "\w+" in the environment$/,
  );
});

test("a page tool that hangs or returns 10 MB costs that call only, and the check names it", async () => {
  const hanging = "new Promise(() => {}), timeoutMs: 20";
  expect((await checked("(moved = day)", hanging)).words).toBe(
    "move gave no result within 20 ms at turn 1 of seed 0, train, in the page; a trainer cannot judge such a rollout. Make it faster, or raise its timeoutMs",
  );
  expect((await checked("(moved = day)", '"x".repeat(1e7)')).words).toBe(
    "move returned at least 10000000 characters at turn 1 of seed 0, train, in the page, and the limit is 16384; the model reads an error instead. Return fewer entries or fields, or let an argument ask for a part",
  );
});

test("a tool that hangs or returns 10 MB is named where page and environment share it", async () => {
  const { "tools.ts": tools = "", "environment.ts": environment = "" } = PLANNER_FILES;
  const shared = (run: string) => ({
    "tools.ts": tools.replace("run: ({ day }) => (moved = day)", run),
    "environment.ts": environment.replace("run: ({ day }, state) => (state.day = day)", run),
  });
  const hangs = await checkedWith(shared("run: () => new Promise(() => {}), timeoutMs: 20"));
  expect(hangs).toMatchObject({ status: "failed", words: expect.stringMatching(/^move gave no/) });
  const large = await checkedWith(shared('run: () => "x".repeat(1e7)'));
  expect(large).toMatchObject({
    status: "failed",
    words: expect.stringMatching(/^move returned at least 10000000 characters/),
  });
});

test("a tool that hangs in the environment only is no disagreement", async () => {
  const { "environment.ts": environment = "" } = PLANNER_FILES;
  const run = "run: ({ day }, state) => (state.day = day)";
  expect(environment).toContain(run);
  const hanging = environment.replace(run, "run: () => new Promise(() => {}), timeoutMs: 20");
  expect((await checkedWith({ "environment.ts": hanging })).words).toBe(
    "move gave no result within 20 ms at turn 1 of seed 0, train, in the environment; a trainer cannot judge such a rollout. Make it faster, or raise its timeoutMs",
  );
});

test("calls of MCP servers' tools are not compared, because the check calls no server", async () => {
  const { "waggle.config.ts": config = "", "environment.ts": environment = "" } = PLANNER_FILES;
  const server = 'mcpServers: [{ url: "https://tools.example/mcp", tools: ["weather"] }],';
  const changed = {
    "waggle.config.ts": config.replace("retention:", `${server} retention:`),
    "environment.ts": environment
      .replace(
        'run: () => ["edge-marker"] },',
        'run: () => ["edge-marker"] },\n    weather: { ...HOLIDAYS, run: () => "sunny" },',
      )
      .replace('[["move", { day }],', '[["weather", {}], ["move", { day }],'),
  };
  expect(await checkedWith(changed)).toMatchObject({ status: "passed" });
});
