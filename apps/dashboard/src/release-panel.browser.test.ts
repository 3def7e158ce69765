import type { Release } from "@waggle/protocol";
import { expect, test } from "vitest";
import { releasePanel } from "./release-panel.ts";

const NOW = Date.parse("2026-11-28T12:00:00.000Z");
const RUNNING: Release = {
  version: 7,
  stable: 5,
  state: "running",
  startedAt: "2026-11-28T10:00:00.000Z",
  endedAt: null,
  share: 0.05,
  horizon: 10_000,
  stages: [
    { share: 0.02, needed: 7, candidate: 8, stable: 392 },
    { share: 0.05, needed: 40, candidate: 21, stable: 379 },
  ],
  metrics: [
    {
      name: "thumb",
      candidate: { visitors: 22, values: 25, mean: 0.6, interval: { low: 0.38, high: 0.789 } },
      stable: { visitors: 300, values: 400, mean: 0.65, interval: { low: 0.6, high: 0.7 } },
      difference: { mean: -0.05, low: -0.41, high: 0.31 },
    },
    {
      name: "booked",
      candidate: { visitors: 0, values: 0, mean: null, interval: null },
      stable: { visitors: 3, values: 3, mean: 1, interval: null },
      difference: null,
    },
  ],
  decision: {
    action: "go on",
    reason: "the stage has 21 of 40 requests",
    at: "2026-11-28T11:59:30.000Z",
  },
};

/** Text with ordinary spaces. */
const textOf = (element: Element | null | undefined) =>
  (element?.textContent ?? "").replaceAll("\u00a0", " ");

test("a running release shows its share, requests, means with intervals, differences and last decision", () => {
  const panel = releasePanel([RUNNING], NOW);
  expect(textOf(panel?.querySelector("h2"))).toBe("Release of v7");
  expect([...(panel?.querySelectorAll(".caption") ?? [])].map(textOf)).toEqual([
    "running, began 2 h ago, serves 5 % of visitors: 29 requests, 21 of 40 at this share, and 771 of the stable version; the horizon is 10,000 of both.",
    "Last decision, 30 s ago: go on, because the stage has 21 of 40 requests.",
  ]);
  const rows = [...(panel?.querySelectorAll("tbody tr") ?? [])];
  expect(rows.map((row) => [...row.children].map(textOf))).toEqual([
    [
      "thumb",
      "60.0 % (38.0 % to 78.9 %) of 25 from 22 visitors",
      "65.0 % (60.0 % to 70.0 %) of 400 from 300 visitors",
      "−0.05 (−0.41 to +0.31)",
    ],
    ["booked", "– of 0 from 0 visitors", "100.0 % of 3 from 3 visitors", "too few visitors"],
  ]);
});

test("a release that an operator ended says so, and without a release there is no panel", () => {
  const ended: Release = { ...RUNNING, state: "promoted", decision: null };
  const texts = [...(releasePanel([ended], NOW)?.querySelectorAll(".caption") ?? [])].map(textOf);
  expect(texts[0]).toMatch(/^promoted, .* served 5 % of visitors: 29 requests, and 771 of/);
  expect(texts[1]).toBe("An operator or the trainer ended it.");
  expect(releasePanel([], NOW)).toBeNull();
});
