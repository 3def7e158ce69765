/** A loop of two pages that ends after one publication, and what its report must say. */
import { expect } from "vitest";
import type { LoopOptions } from "../../packages/dev/src/loop/loop.ts";
import type { LoopReport } from "../../packages/dev/src/loop/report.ts";

/** Any candidate is promoted: the tests are about a policy's path, not its quality. */
export function shortLoop(
  groupsPerStep: number,
  publishEvery: number,
): Pick<
  LoopOptions,
  "pages" | "publications" | "simulate" | "control" | "trainerArgs" | "edgeVariables"
> {
  return {
    pages: 2,
    publications: 1,
    simulate: "forever",
    control: false,
    trainerArgs: [
      "--groups-per-step",
      String(groupsPerStep),
      "--publish-every",
      String(publishEvery),
      "--evaluation-tasks",
      "16",
      "--max-publications",
      "1",
      "--promotion-margin",
      "1",
    ],
    edgeVariables: {
      GATE_MIN_TASKS: "16",
      GATE_PROBE_TASKS: "16",
      GATE_MARGIN: "1",
      GATE_SIGNIFICANCE: "0",
    },
  };
}

/** One policy was published, promoted and swapped into every page without a reload. */
export function expectOneSwap(report: LoopReport): void {
  expect(report).toMatchObject({
    published: 1,
    promoted: 1,
    pages: { open: 2, onNewest: 2, reloads: 0 },
  });
}

/** The trainer computes the log-probs that the browser recorded for the same version. */
export function expectSameLogProbs({ logProbGap, uploadToPageSeconds }: LoopReport): void {
  expect(logProbGap.mean).toBeLessThan(1e-3);
  expect(logProbGap.mean).toBeGreaterThan(0);
  expect(uploadToPageSeconds.max).toBeGreaterThan(0);
}

/** No trajectory was lost, refused or learned twice. */
export function expectExactCounts({ uploads }: LoopReport): void {
  const { accepted, learned, skipped, rejected, waiting, lost, twice } = uploads;
  expect({ rejected, lost, twice }).toEqual({ rejected: 0, lost: 0, twice: 0 });
  expect(learned).toBeGreaterThan(0);
  expect(learned + skipped + waiting).toBe(accepted);
}
