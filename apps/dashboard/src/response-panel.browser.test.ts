import type { OperatorSummary } from "@waggle/protocol";
import { expect, test } from "vitest";
import { responsePanel } from "./response-panel.ts";

const SUMMARY: OperatorSummary = {
  trajectories: { received: 9, waiting: 9, leased: 0, learned: 0, rejected: 0, skipped: 0 },
  rejectedByReason: [],
  byVersion: [],
  feedback: [],
  visitors: 3,
  stable: 0,
  canary: 0,
};

test("each signal and each kind of request has its count and its share", () => {
  const panel = responsePanel({
    ...SUMMARY,
    responses: {
      requests: 20,
      bySignal: [
        { signal: "thumb", requests: 5 },
        { signal: "outcome:booked", requests: 2 },
      ],
      byStratum: [{ stratum: "new wasm", requests: 8, answered: 2 }],
    },
  });
  const rows = [...(panel?.querySelectorAll("tbody tr") ?? [])].map((row) =>
    [...row.children].map((cell) => cell.textContent),
  );
  expect(rows).toEqual([
    ["thumb", "", "5 (25.0\u00a0%)", "20"],
    ["outcome:booked", "", "2 (10.0\u00a0%)", "20"],
    ["new wasm", "", "2 (25.0\u00a0%)", "8"],
  ]);
  // Wilson's interval of 2 in 8 is 7.1 % to 59.1 %.
  expect(panel?.querySelectorAll(".rate-bar")[2]?.getAttribute("title")).toBe(
    "95 % interval 7.1\u00a0% to 59.1\u00a0%",
  );
});

test("without requests, and at an edge of the previous release, there is no panel", () => {
  expect(responsePanel(SUMMARY)).toBeNull();
  const responses = { requests: 0, bySignal: [], byStratum: [] };
  expect(responsePanel({ ...SUMMARY, responses })).toBeNull();
});
