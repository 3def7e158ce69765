import type { OperatorSummary, StoredOutcome } from "@waggle/protocol";
import { expect, test } from "vitest";
import { outcomePanel, outcomeText } from "./outcome-panel.ts";

const SUMMARY: OperatorSummary = {
  trajectories: { received: 9, waiting: 9, leased: 0, learned: 0, rejected: 0, skipped: 0 },
  rejectedByReason: [],
  byVersion: [],
  feedback: [],
  visitors: 3,
  stable: 0,
  canary: 0,
};

const OUTCOMES: NonNullable<OperatorSummary["outcomes"]> = {
  declared: {
    booked: { type: "boolean", better: "higher", weight: 0.5 },
    minutes: { type: "number", better: "lower", range: [0, 90] },
    sales: { type: "number", better: "higher", range: [0, 1000] },
  },
  byMetric: [
    { metric: "booked", type: "boolean", source: "page", count: 4, mean: 0.25, deviation: 0.5 },
    { metric: "booked", type: "boolean", source: "server", count: 3, mean: 1, deviation: 0 },
    { metric: "minutes", type: "number", source: "page", count: 2, mean: 7.5, deviation: 3.54 },
    { metric: "stars", type: "number", source: "page", count: 1, mean: 5, deviation: null },
  ],
  liveTrajectories: 20,
  withOutcome: 5,
};

const rowsOf = (panel: HTMLElement | null) =>
  [...(panel?.querySelectorAll("tbody tr") ?? [])].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );

test("metrics are listed by source with share or mean, and one without outcomes has no value", () => {
  const panel = outcomePanel({ ...SUMMARY, outcomes: OUTCOMES });
  const share = (percent: string) => `${percent}\u00a0%`;
  expect(rowsOf(panel)).toEqual([
    ["booked", "page", "", share("25.0"), "4", "higher", "0.5"],
    ["booked", "server", "", share("100.0"), "3", "higher", "0.5"],
    ["minutes", "page", "", "7.5 ± 3.54", "2", "lower", "1"],
    ["stars", "page", "", "5", "1", "no longer declared", "–"],
    ["sales", "–", "", "–", "0", "higher", "1"],
  ]);
  // Wilson's interval of 1 in 4 is 4.6 % to 69.9 %.
  expect(panel?.querySelector(".rate-bar")?.getAttribute("title")).toBe(
    "95 % interval 4.6\u00a0% to 69.9\u00a0%",
  );
});

test("the share of requests with an outcome has its interval", () => {
  const panel = outcomePanel({ ...SUMMARY, outcomes: OUTCOMES });
  // Wilson's interval of 5 in 20 is 11.2 % to 46.9 %.
  expect(panel?.textContent).toContain(
    "5 of 20 requests of visitors who agreed have an outcome: 25.0\u00a0% (95 % interval 11\u00a0% to 47\u00a0%)",
  );
  const none = { ...OUTCOMES, byMetric: [], liveTrajectories: 0, withOutcome: 0 };
  const empty = outcomePanel({ ...SUMMARY, outcomes: none });
  expect(empty?.textContent).toContain("No requests of visitors are stored.");
  expect(rowsOf(empty).map(([name, , , value]) => [name, value])).toEqual([
    ["booked", "–"],
    ["minutes", "–"],
    ["sales", "–"],
  ]);
});

test("a site without metrics and an older edge have no panel", () => {
  expect(outcomePanel(SUMMARY)).toBeNull();
  const outcomes = { declared: {}, byMetric: [], liveTrajectories: 20, withOutcome: 0 };
  expect(outcomePanel({ ...SUMMARY, outcomes })).toBeNull();
});

test("a trajectory's outcomes name value and source", () => {
  const common = { id: "i", trajectoryId: "t", at: "2026-11-20T12:00:00.000Z" };
  const outcomes: StoredOutcome[] = [
    { ...common, metric: "booked", value: false, source: "page" },
    { ...common, metric: "minutes", value: 0, source: "server" },
  ];
  expect(outcomeText(outcomes)).toBe("booked false (page), minutes 0 (server)");
  expect(outcomeText()).toBe("none");
});
