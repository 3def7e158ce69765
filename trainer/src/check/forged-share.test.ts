import type { TrajectoryOutcome } from "@waggle/protocol";
import { expect, test } from "vitest";
import { forgingVisitors, looksForged } from "./forged-share.ts";

test("one caught record of 14, or two of 51, is too many for an honest page", () => {
  expect(looksForged(1, 13)).toBe(true);
  expect(looksForged(1, 14)).toBe(false);
  expect(looksForged(2, 49)).toBe(true);
  expect(looksForged(2, 50)).toBe(false);
  expect(looksForged(0, 0)).toBe(false);
});

/** Outcomes of one visitor. */
const sent = (visitorId: string, outcomes: readonly Partial<TrajectoryOutcome>[]) =>
  outcomes.map((outcome, i) => ({
    visitorId,
    outcome: { digest: `${visitorId}${i}`, status: "learned", ...outcome } as TrajectoryOutcome,
  }));

const DRAWN = { drawMismatches: 0 };
const CAUGHT = { status: "rejected", reason: "not-drawn-from-seed", drawMismatches: 2 } as const;

test("each visitor of a lease is judged by their own records", () => {
  const lease = [
    ...sent(
      "honest",
      Array.from({ length: 20 }, () => DRAWN),
    ),
    ...sent("attacker", [DRAWN, DRAWN, CAUGHT, DRAWN]),
    ...sent("unlucky", [CAUGHT, ...Array.from({ length: 30 }, () => DRAWN)]),
  ];
  expect(forgingVisitors(lease)).toEqual(new Set(["attacker"]));
});

test("records that were not drawn again, and mistakes of a page, count neither for nor against a visitor", () => {
  const others = Array.from({ length: 40 }, () => ({}));
  expect(forgingVisitors(sent("other runtime", [...others, CAUGHT]))).toEqual(
    new Set(["other runtime"]),
  );
  const mistakes = [
    { status: "rejected", reason: "replay-mismatch:tool" },
    { status: "skipped", reason: "aborted" },
  ] as const;
  expect(forgingVisitors(sent("old page", mistakes))).toEqual(new Set());
});
