import type { LoopReport } from "@waggle/dev";
import { expect, test } from "vitest";
import { loopTable } from "./loop-table.ts";

const REPORT: LoopReport = {
  success: {
    base: 0.75,
    final: 0.8,
    tasks: 40,
    temperatures: [],
    unseenPatterns: { base: 0.5, final: 0.625, tasks: 8 },
  },
  published: 2,
  promoted: 1,
  logProbGap: { mean: 0, max: 0 },
  uploads: { accepted: 9, learned: 8, skipped: 1, rejected: 0, waiting: 0, lost: 0, twice: 0 },
  rewards: null,
  pages: { open: 4, onNewest: 4, reloads: 0 },
  uploadToPageSeconds: { median: null, max: null },
  live: null,
  training: { tokens: 100, tokensPerSecond: 10 },
  backend: "wasm x1",
  control: false,
  minutes: 3,
};

test("the base and the deployed version are compared", () => {
  expect(loopTable(REPORT).slice(0, 3)).toEqual([
    "held-out success  75.0 % → 80.0 % over 40 paired tasks",
    "unseen patterns   50.0 % → 62.5 % over 8 of these tasks",
    "policies          2 published, 1 promoted",
  ]);
});

test("other temperatures than that of the pages have a line each", () => {
  const success = {
    ...REPORT.success,
    temperatures: [
      { temperature: "0.5", base: 0.8, final: 0.85 },
      { temperature: "greedy", base: 0.65, final: 0.72 },
    ],
  };
  expect(loopTable({ ...REPORT, success }).slice(0, 4)).toEqual([
    "held-out success  75.0 % → 80.0 % over 40 paired tasks",
    "  temperature 0.5 80.0 % → 85.0 %",
    "  greedily        65.0 % → 72.0 %",
    "unseen patterns   50.0 % → 62.5 % over 8 of these tasks",
  ]);
});

test("without a deployed version, the figures of the base do not look like a result", () => {
  const success = {
    ...REPORT.success,
    final: null,
    unseenPatterns: { base: 0.5, final: null, tasks: 8 },
  };
  const lines = loopTable({ ...REPORT, success, published: 0, promoted: 0 });
  expect(lines.slice(0, 3)).toEqual([
    "held-out success  75.0 % of 40 tasks by the base; no new version was deployed, so there is no comparison",
    "unseen patterns   50.0 % of 8 of these tasks",
    "policies          0 published, 0 promoted",
  ]);
  expect(lines.join("\n")).not.toContain("→");
});

test("a run without a comparison shows no figure", () => {
  const success = { ...REPORT.success, base: null, final: null, tasks: 0, unseenPatterns: null };
  expect(loopTable({ ...REPORT, success, promoted: 0 })[0]).toBe(
    "held-out success  – → – over 0 paired tasks",
  );
});

test("a run of rewards has no trajectories to show", () => {
  const rows = (rewards: LoopReport["rewards"]) =>
    loopTable({ ...REPORT, rewards }).filter((line) => /^(trajectories|rewards)/.test(line));
  expect(rows({ accepted: 640, steps: 2 })).toEqual(["rewards           640 accepted, 2 steps"]);
  expect(rows(null)).toEqual([
    "trajectories      9 accepted, 8 learned, 1 taught nothing, 0 rejected, 0 still waiting, 0 lost, 0 twice",
  ]);
});
