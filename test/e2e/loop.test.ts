/**
 * The whole loop on a small budget: two pages of simulated visitors, one publication, one swap. The counts of both sides
 * must agree to the last trajectory. Uses only real components. `npm test` runs such a loop with another site:
 * `site-loop.test.ts`.
 */
import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import { runLoop } from "../../packages/dev/src/loop/loop.ts";
import type { LoopReport } from "../../packages/dev/src/loop/report.ts";
import { ROOT } from "../../scripts/root.ts";
import { DEMO } from "../fixtures/demo.ts";
import { isLong } from "../fixtures/long.ts";
import {
  expectExactCounts,
  expectOneSwap,
  expectSameLogProbs,
  shortLoop,
} from "./short-loop.fixture.ts";

describe.runIf(isLong())("a three-minute loop", () => {
  const lines: string[] = [];
  let report: LoopReport;

  beforeAll(async () => {
    report = await runLoop({
      ...shortLoop(4, 2),
      site: DEMO,
      device: "auto",
      minutes: 3,
      evaluationTasks: 0,
      folder: join(ROOT, ".waggle", "test-loop"),
      onLine: (name, line) => lines.push(`${name} ${line}`),
    });
  }, 400_000);

  test("one policy is published, promoted and swapped into every page without a reload", () => {
    expectOneSwap(report);
  });

  test("no trajectory is lost, refused or learned twice", () => {
    expectExactCounts(report);
  });

  test("the trainer computes the log-probs that the browser recorded for the same version", () => {
    expectSameLogProbs(report);
  });
});
