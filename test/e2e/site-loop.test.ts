/**
 * The loop with a site that is not the shop: its own page, environment and base. Two pages, one publication. Uses only
 * real components.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runLoop } from "../../packages/dev/src/loop/loop.ts";
import type { LoopReport } from "../../packages/dev/src/loop/report.ts";
import { requireEnvironment, siteFrom } from "../../packages/dev/src/site/site.ts";
import { ROOT } from "../../scripts/root.ts";
import {
  expectExactCounts,
  expectOneSwap,
  expectSameLogProbs,
  shortLoop,
} from "./short-loop.fixture.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../../trainer/src/pretrain/environment-base.ts";

const models = mkdtempSync(join(tmpdir(), "waggle-site-"));
const lines: string[] = [];
let report: LoopReport;

beforeAll(async () => {
  const doors = await siteFrom(join(ROOT, "test", "fixtures", "doors-site.ts#doors"));
  const site = requireEnvironment(doors, "a test");
  const model = join(models, "doors");
  // A default base takes minutes.
  const recipe = { ...ENVIRONMENT_BASE, steps: 300, width: 64, layers: 2, mistakes: 0.9 };
  const { signal } = new AbortController();
  await environmentBase(site.environment, model, recipe, {
    onProgress: () => {},
    signal,
  });
  report = await runLoop({
    ...shortLoop(2, 1),
    device: "wasm",
    minutes: 2,
    evaluationTasks: 16,
    site,
    model,
    folder: join(ROOT, ".waggle", "test-site-loop"),
    onLine: (name, line) => lines.push(`${name} ${line}`),
  }).catch((error: unknown) => {
    throw new Error(lines.slice(-40).join("\n"), { cause: error });
  });
}, 300_000);
afterAll(() => rmSync(models, { recursive: true, force: true }));

test("a policy of a site is learned from its page, published, promoted and swapped in", () => {
  expectOneSwap(report);
});

test("no trajectory of a site is lost, refused or learned twice", () => {
  expectExactCounts(report);
});

test("the trainer computes the log-probs that the site's pages recorded for the same version", () => {
  expectSameLogProbs(report);
});

test("both versions are compared on held-out tasks of the site", () => {
  const { base, final, tasks } = report.success;
  expect(tasks).toBe(16);
  expect([base, final].every((rate) => rate !== null && rate >= 0 && rate <= 1)).toBe(true);
  const progress = lines.filter((line) => line.startsWith("evaluate "));
  expect(progress).toContain("evaluate version 0 greedily: 16 of 16 tasks");
});
