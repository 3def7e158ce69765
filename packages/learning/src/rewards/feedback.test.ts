import type { LeasedOutcome } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { feedback, feedbackVerdict } from "./feedback.ts";

type GivenFeedback = Parameters<typeof feedbackVerdict>[0];

const BOTH = { thumb: 1, outcome: 1 };

function outcome(
  metric: string,
  value: boolean | number,
  declared: Partial<LeasedOutcome["declared"]> = {},
  source: LeasedOutcome["source"] = "server",
): LeasedOutcome {
  const kind = typeof value === "boolean" ? { type: "boolean" } : { type: "number", range: [1, 5] };
  const full = { better: "higher", ...kind, ...declared } as LeasedOutcome["declared"];
  return { metric, value, source, declared: full };
}

const given = (thumb: GivenFeedback["thumb"], ...outcomes: LeasedOutcome[]): GivenFeedback => ({
  thumb,
  outcomes,
  message: null,
  isUndone: false,
  correction: null,
  edit: null,
  staff: null,
});
const rewardOf = (...all: Parameters<typeof given>) =>
  feedbackVerdict(given(...all), BOTH)?.reward ?? null;

test.each([
  ["booked", true, {}, 1],
  ["booked", false, {}, 0],
  ["returned", true, { better: "lower" }, 0],
  ["rating", 4, {}, 0.75],
  ["rating", 4, { better: "lower" }, 0.25],
  // The range was larger when these were stored.
  ["rating", 9, {}, 1],
  ["rating", -1e9, { better: "lower" }, 1],
  ["profit", 0, { range: [-1e9, 1e9] }, 0.5],
] as const)("%s %s with %j is the reward %d", (metric, value, declared, reward) => {
  expect(rewardOf(null, outcome(metric, value, declared as object))).toBe(reward);
});

test("signals are weighted, and missing ones are left out", () => {
  const booked = outcome("booked", true, { weight: 0.5 });
  const rating = outcome("rating", 2, { weight: 0.25 });
  expect(rewardOf("down", booked, rating)).toBeCloseTo((0.5 + 0.25 * 0.25) / 1.75, 12);
  expect(rewardOf(null, booked, rating)).toBeCloseTo((0.5 + 0.25 * 0.25) / 0.75, 12);
  expect(rewardOf("up")).toBe(1);
  expect(rewardOf("down")).toBe(0);
  const doubled = feedbackVerdict(given("down", booked), { thumb: 2, outcome: 1 });
  expect(doubled?.reward).toBeCloseTo(0.5 / 2.5, 12);
});

test("a message after the answer counts, where the recipe reads it", () => {
  const said = (message: GivenFeedback["message"]) => ({ ...given(null), message });
  expect(feedbackVerdict(said("next-thanks"), { message: 1 })).toEqual({
    reward: 1,
    success: true,
    parts: { message: "next-thanks" },
    signals: { "message:next-thanks": 1 },
  });
  for (const kind of ["next-repeats", "next-corrects", "next-contradicts", "retry"] as const) {
    expect(feedbackVerdict(said(kind), { message: 1 })).toMatchObject({
      reward: 0,
      success: false,
    });
  }
  expect(feedbackVerdict(said("next-thanks"), BOTH)).toBeNull();
  expect(
    feedbackVerdict({ ...given("down"), message: "next-thanks" }, { thumb: 1, message: 0.5 })
      ?.reward,
  ).toBeCloseTo(1 / 3, 12);
});

test("the text of a correction goes with its message, and an edit replaces everything else", () => {
  const corrected = { ...given("down"), message: "next-corrects", correction: "no, 3" } as const;
  expect(feedbackVerdict(corrected, { message: 1 })).toEqual({
    reward: 0,
    success: false,
    parts: { message: "next-corrects", correction: "no, 3" },
    signals: { "message:next-corrects": 1 },
  });
  expect(feedbackVerdict(corrected, { thumb: 1 })?.parts).toEqual({ thumb: "down" });
  const edited = { ...corrected, edit: "3" };
  expect(feedbackVerdict(edited, { thumb: 1, edit: 1 })).toEqual({
    reward: 1,
    success: true,
    parts: { edit: "3" },
    signals: { edit: 1 },
  });
  expect(feedbackVerdict(edited, { thumb: 1 })?.reward).toBe(0);
  expect(feedbackVerdict({ ...given(null), edit: "3" }, { thumb: 1, message: 1 })).toBeNull();
});

test("an answer of staff replaces everything that the visitor said", () => {
  const all = { ...given("down"), edit: "3", staff: "4" };
  expect(feedbackVerdict(all, { thumb: 1, edit: 1, staff: 1 })).toEqual({
    reward: 1,
    success: true,
    parts: { staff: "4" },
    signals: { staff: 1 },
  });
  expect(feedbackVerdict(all, { edit: 1 })?.signals).toEqual({ edit: 1 });
  expect(feedbackVerdict({ ...given(null), staff: "4" }, { thumb: 1, edit: 1 })).toBeNull();
});

test("an undone action counts against the answer with its own weight, beside the message", () => {
  const undone = { ...given("up"), isUndone: true };
  expect(feedbackVerdict(undone, { thumb: 1, undo: 3 })).toEqual({
    reward: 0.25,
    success: false,
    parts: { thumb: "up", undo: true },
    signals: { thumb: 0.25, undo: 0.75 },
  });
  expect(feedbackVerdict({ ...undone, message: "next-thanks" }, { message: 1 })?.reward).toBe(1);
  expect(feedbackVerdict({ ...given(null), isUndone: true }, { undo: 1 })?.reward).toBe(0);
});

test("nothing that counts is no verdict, and not a bad one", () => {
  expect(rewardOf(null)).toBeNull();
  expect(rewardOf(null, outcome("views", 5, { weight: 0 }))).toBeNull();
  expect(feedbackVerdict(given("up"), { outcome: 1 })).toBeNull();
  expect(feedbackVerdict(given(null, outcome("booked", true)), { thumb: 1 })).toBeNull();
  // The metric had another type when the value was stored.
  expect(rewardOf(null, outcome("booked", 3, { type: "boolean" }))).toBeNull();
  expect(rewardOf(null, outcome("rating", true, { type: "number" }))).toBeNull();
});

test("the value of the site's server counts, and that of the page only without one", () => {
  const page = outcome("booked", true, {}, "page");
  const server = outcome("booked", false);
  expect(rewardOf(null, page)).toBe(1);
  expect([rewardOf(null, page, server), rewardOf(null, server, page)]).toEqual([0, 0]);
  expect(rewardOf(null, page, outcome("rating", 1))).toBe(0.5);
});

test("the verdict names each signal with its value, and half of the reward is a success", () => {
  const all = given("up", outcome("booked", false), outcome("rating", 3));
  expect(feedbackVerdict(all, BOTH)).toEqual({
    reward: 0.5,
    success: true,
    parts: { thumb: "up", "outcome:booked": false, "outcome:rating": 3 },
    signals: { thumb: 1 / 3, "outcome:booked": 1 / 3, "outcome:rating": 1 / 3 },
  });
  const message = { ...given("down", outcome("booked", true)), message: "retry" } as const;
  expect(feedbackVerdict(message, { thumb: 1, outcome: 2, message: 1 })?.signals).toEqual({
    thumb: 0.25,
    "outcome:booked": 0.5,
    "message:retry": 0.25,
  });
  expect(feedbackVerdict(given("down", outcome("rating", 4.9)), BOTH)?.success).toBe(false);
});

test("a better value never lowers the reward, and the reward stays in [0, 1]", () => {
  const weight = fc.double({ min: 0.01, max: 1, noNaN: true });
  const value = fc.double({ min: -10, max: 10, noNaN: true });
  const thumb = fc.constantFrom("up", "down", null);
  fc.assert(
    fc.property(thumb, fc.boolean(), value, value, weight, weight, (said, is, a, b, v, w) => {
      const worth = (rating: number) =>
        rewardOf(
          said,
          outcome("booked", is, { weight: v }),
          outcome("rating", rating, { weight: w }),
        );
      const [worse, better] = [worth(Math.min(a, b)), worth(Math.max(a, b))];
      expect(worse).toBeGreaterThanOrEqual(0);
      expect(better).toBeLessThanOrEqual(1);
      expect(better).toBeGreaterThanOrEqual(Number(worse) - 1e-12);
    }),
  );
});

test("the reward part takes a verdict on its feedback, and refuses a verifier's and a weight of 0", async () => {
  const reward = (parts: object) =>
    feedback({ outcome: 1 }).rewards(
      {
        task: "t",
        trajectories: [
          { id: "a", verification: { reward: 0.75, success: true, parts } } as JudgedTrajectory,
        ],
      },
      undefined as never,
    );
  expect(await reward({ "outcome:booked": true })).toEqual([{ total: 0.75 }]);
  for (const parts of [{}, { thumb: "up" }, { answer: 4 }]) {
    expect(() => reward(parts)).toThrow(/needs outcome, got trajectory a without/);
  }
  for (const thumb of [0, -1, Number.NaN, Infinity]) {
    expect(() => feedback({ thumb })).toThrow(/weight of thumb must be a number above 0/);
  }
});

test("the sides of a retry's pair have the rewards 1 and 0, where the recipe reads retries, and a thumb does not change that", () => {
  const weights = { retry: 1, thumb: 1 };
  const sides = (["kept", "rejected"] as const).map((retry) =>
    feedbackVerdict({ ...given("up"), retry }, weights),
  );
  expect(sides).toEqual([
    { reward: 1, success: true, parts: { retry: "kept" }, signals: { "message:retry": 1 } },
    { reward: 0, success: false, parts: { retry: "rejected" }, signals: { "message:retry": 1 } },
  ]);
  expect(feedbackVerdict({ ...given(null), retry: "kept" }, BOTH)).toBeNull();
  expect(feedbackVerdict(given(null), weights)).toBeNull();
});
