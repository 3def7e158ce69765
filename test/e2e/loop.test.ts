/**
 * The whole loop on a small budget: two pages of simulated visitors, one publication, one swap. The counts of both sides
 * must agree to the last trajectory. Uses only real components.
 */
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runLoop } from "../../scripts/loop/loop.ts";
import type { LoopReport } from "../../scripts/loop/report.ts";
import { ROOT } from "../../scripts/stack.ts";
import { sampleSize } from "../fixtures/long.ts";

describe("a three-minute loop", () => {
  const lines: string[] = [];
  let report: LoopReport;

  beforeAll(async () => {
    report = await runLoop({
      pages: 2,
      device: "auto",
      minutes: 3,
      publications: 1,
      evaluationTasks: 0,
      simulate: "forever",
      control: false,
      folder: join(ROOT, ".waggle", "test-loop"),
      // Any candidate is promoted here: the test is about a policy's path, not its quality.
      trainerArgs: [
        "--groups-per-step",
        String(sampleSize(2, 4)),
        "--publish-every",
        "2",
        "--evaluation-tasks",
        "16",
        "--max-publications",
        "1",
        "--promotion-margin",
        "1",
      ],
      edgeVariables: { GATE_MIN_TASKS: "16", GATE_MARGIN: "1", GATE_SIGNIFICANCE: "0" },
      onLine: (name, line) => lines.push(`${name} ${line}`),
    });
  }, 400_000);

  test("one policy is published, promoted and swapped into every page without a reload", () => {
    expect(report).toMatchObject({
      published: 1,
      promoted: 1,
      pages: { open: 2, onNewest: 2, reloads: 0 },
    });
  });

  test("no trajectory is lost, refused or learned twice", () => {
    const { accepted, learned, skipped, rejected, waiting, lost, twice } = report.uploads;
    expect({ rejected, lost, twice }).toEqual({ rejected: 0, lost: 0, twice: 0 });
    expect(learned).toBeGreaterThan(0);
    expect(learned + skipped + waiting).toBe(accepted);
  });

  test("the trainer computes the log-probs that the browser recorded for the same version", () => {
    expect(report.logProbGap.mean).toBeLessThan(1e-3);
    expect(report.logProbGap.mean).toBeGreaterThan(0);
    expect(report.uploadToPageSeconds.max).toBeGreaterThan(0);
  });
});
