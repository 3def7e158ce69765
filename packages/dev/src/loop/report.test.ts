import type { OperatorSummary, PoliciesResponse, TrajectoryRow } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { VisitorStatus } from "../people/visitor-status.ts";
import { type LoopEvidence, loopReport } from "./report.ts";

const START = Date.parse("2026-11-28T00:00:00.000Z");
const isoAt = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

const row = (id: string, receivedAt: number, learnedAtStep: number | null): TrajectoryRow =>
  ({
    id,
    receivedAt: isoAt(receivedAt),
    status: learnedAtStep === null ? "waiting" : "learned",
    learnedAtStep,
    logProbGapMean: null,
  }) as TrajectoryRow;

const page = (people: Partial<VisitorStatus["people"]>, versions: { [version: number]: number }) =>
  ({
    outbox: { sent: 2 },
    trajectories: { uploaded: 5 },
    people: {
      requests: 0,
      answered: 0,
      good: 0,
      bad: 0,
      failed: 0,
      ...people,
    },
    versions: Object.entries(versions).map(([version, at]) => ({
      version: Number(version),
      at: START + at * 1000,
    })),
    policyVersion: 2,
    reloads: 0,
    backend: "wasm x1",
  }) as unknown as VisitorStatus;

/** Version 1 has the steps up to 4 and runs from second 40, version 2 those up to 8 and runs from second 90. */
const EVIDENCE: LoopEvidence = {
  statuses: [
    page({ requests: 3, answered: 2, good: 2 }, { 0: 1, 1: 50, 2: 90 }),
    page({ requests: 2, answered: 2, good: 1, bad: 1 }, { 0: 1, 1: 40, 2: 95 }),
  ],
  summary: {
    trajectories: { received: 4, learned: 3, rejected: 0, skipped: 0, waiting: 1, leased: 0 },
  } as OperatorSummary,
  policies: {
    stable: 2,
    policies: [
      { version: 0, step: 0, status: "retired" },
      { version: 1, step: 4, status: "retired" },
      { version: 2, step: 8, status: "stable" },
    ],
  } as PoliciesResponse,
  rows: [row("a", 10, 4), row("b", 20, 5), row("c", 30, 9), row("d", 35, null), row("e", 5, 2)],
  metrics: [],
  evaluation: null,
  reactions: null,
  collectsRewards: false,
  control: false,
  minutes: 1,
};
const thumb = (trajectoryId: string, at: number) => ({ trajectoryId, at: START + at * 1000 });

test("an upload takes as long as until the first page with a version that learned from it", () => {
  // a: 40 − 10, b: 90 − 20, e: 40 − 5. No version has learned from c, and no step from d.
  expect(loopReport(EVIDENCE).uploadToPageSeconds).toEqual({ median: 35, max: 70 });
  expect(loopReport(EVIDENCE).live).toBeNull();
});

test("a live run counts requests and thumbs, and measures from the press of a thumb", () => {
  const reactions = [thumb("a", 12), thumb("b", 26), thumb("c", 31), thumb("d", 36)];
  expect(loopReport({ ...EVIDENCE, reactions }).live).toEqual({
    requests: 5,
    answered: 4,
    good: 3,
    bad: 1,
    // a: 40 − 12, b: 90 − 26. e has no thumb.
    feedbackToPageSeconds: { median: 46, max: 64 },
  });
});

test("without a thumb that reached a page there is no time", () => {
  const none = { median: null, max: null };
  expect(loopReport({ ...EVIDENCE, reactions: [] }).live?.feedbackToPageSeconds).toEqual(none);
  const late = [thumb("c", 31)];
  expect(loopReport({ ...EVIDENCE, reactions: late }).live?.feedbackToPageSeconds).toEqual(none);
});

test("only a site that collects rewards counts them", () => {
  const metrics = [{ metrics: { rewards: 8 } }];
  expect(loopReport({ ...EVIDENCE, metrics }).rewards).toBeNull();
  expect(loopReport({ ...EVIDENCE, metrics, collectsRewards: true }).rewards).toEqual({
    accepted: 10,
    steps: 1,
  });
});
