import { expect, test } from "vitest";
import { createReporter } from "./reporter.ts";

test("a note is a readable line of text or one JSON object", () => {
  const details = {
    device: "cpu x2",
    baseModel: "429990a4".padEnd(64, "0"),
    step: 4,
    stoppedBy: null,
  };
  const lines: string[] = [];
  for (const asJson of [false, true]) {
    createReporter((line) => lines.push(line), asJson).note("started", details);
  }
  expect(lines[0]).toBe("started: device cpu x2, base model 429990a4, step 4, stopped by null");
  expect(JSON.parse(lines[1] ?? "")).toEqual({ event: "started", ...details });
});

test("skipped and rejected trajectories are counted by reason", () => {
  const outcome = (status: "learned" | "skipped" | "rejected", reason?: string) => ({
    digest: "d",
    status,
    ...(reason === undefined ? {} : { reason }),
  });
  const judged = {
    lease: { leaseId: "l", fencingToken: 1, groups: [] },
    groups: [],
    visitors: new Set<string>(),
    outcomes: [
      outcome("learned"),
      outcome("skipped", "stale"),
      outcome("skipped", "no-signal"),
      outcome("skipped", "no-signal"),
      outcome("rejected", "replayed"),
    ],
  };
  const lines: string[] = [];
  for (const asJson of [false, true]) {
    createReporter((line) => lines.push(line), asJson).judged(judged);
  }
  expect(lines[0]).toBe(
    "  5 trajectories: 1 to learn from in 0 groups, 3 skipped (2 no-signal, 1 stale), 1 rejected (1 replayed)",
  );
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({
    reasons: { skipped: { "no-signal": 2, stale: 1 }, rejected: { replayed: 1 } },
  });
});
