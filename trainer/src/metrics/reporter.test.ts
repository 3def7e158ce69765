import { describe, expect, test } from "vitest";
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
    present: { visitor: new Set<string>(), network: new Set<string>() },
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
    "  5 trajectories: 1 to learn from in 0 groups, 3 skipped (2 in groups that all succeeded or all failed, 1 stale), 1 rejected (1 replayed)",
  );
  expect(JSON.parse(lines[1] ?? "")).toMatchObject({
    reasons: { skipped: { "no-signal": 2, stale: 1 }, rejected: { replayed: 1 } },
  });
});

describe("leases with nothing to learn from", () => {
  const lease = (status: "learned" | "skipped" | "rejected", reason?: string) => ({
    groups: status === "learned" ? [[]] : [],
    outcomes: Array.from({ length: 8 }, () => ({
      status,
      ...(reason === undefined ? {} : { reason }),
    })),
  });
  const nothing = lease("skipped", "no-signal");

  function reporterAt(asJson: boolean) {
    const lines: string[] = [];
    const clock = { now: 0 };
    const report = createReporter(
      (line) => lines.push(line),
      asJson,
      undefined,
      () => clock.now,
    );
    return { lines, clock, report };
  }

  test("are one line in 30 seconds, which counts them", () => {
    const { lines, clock, report } = reporterAt(false);
    for (let seconds = 0; seconds <= 60; seconds += 1) {
      clock.now = 1000 * seconds;
      report.judged(nothing);
    }
    const line = (count: number) =>
      `  ${count} trajectories taught nothing (${count} in groups that all succeeded or all failed)`;
    expect(lines).toEqual([line(8), line(240), line(240)]);
  });

  test("of one trajectory are in the singular", () => {
    const { lines, report } = reporterAt(false);
    report.judged({ ...nothing, outcomes: nothing.outcomes.slice(0, 1) });
    expect(lines).toEqual([
      "  1 trajectory taught nothing (1 in groups that all succeeded or all failed)",
    ]);
  });

  test("are counted before the next line of any other kind", () => {
    const { lines, report } = reporterAt(false);
    for (const judged of [
      nothing,
      nothing,
      lease("learned"),
      nothing,
      lease("rejected", "replayed"),
    ])
      report.judged(judged);
    report.judged(nothing);
    report.note("stopped", { step: 1 });
    const quiet = "  8 trajectories taught nothing (8 in groups that all succeeded or all failed)";
    expect(lines).toEqual([
      quiet,
      quiet,
      "  8 trajectories: 8 to learn from in 1 group, 0 skipped, 0 rejected",
      quiet,
      "  8 trajectories: 0 to learn from in 0 groups, 0 skipped, 8 rejected (8 replayed)",
      quiet,
      "stopped: step 1",
    ]);
  });

  test("are one line each as JSON", () => {
    const { lines, report } = reporterAt(true);
    report.judged(nothing);
    report.judged(nothing);
    expect(lines.map((line) => JSON.parse(line).reasons.skipped)).toEqual([
      { "no-signal": 8 },
      { "no-signal": 8 },
    ]);
  });
});
