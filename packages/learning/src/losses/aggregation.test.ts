import { expect, test } from "vitest";
import { type Aggregation, sequenceShares, tokenShares } from "./aggregation.ts";

const lossMask = [
  [false, true, true],
  [true, true, true, true],
  [false, false],
  [true, false],
];
const rows = { lossMask, prompts: ["a", "a", "b", "b"], rollouts: [1, 1, 2, 3] };
/** One share per row; all tokens of a row have the same one. */
const perRow = (aggregation: Aggregation): (number | undefined)[] =>
  tokenShares(aggregation, rows).map((row, b) => row[lossMask[b]?.indexOf(true) ?? -1]);

test.each<[Aggregation, (number | undefined)[]]>([
  // 7 loss tokens; 3 sequences have at least one.
  [{ kind: "token-mean" }, [1 / 7, 1 / 7, undefined, 1 / 7]],
  [{ kind: "seq-mean-token-sum" }, [1 / 3, 1 / 3, undefined, 1 / 3]],
  [{ kind: "seq-mean-token-mean" }, [1 / 6, 1 / 12, undefined, 1 / 3]],
  [{ kind: "seq-mean-token-sum-norm", maxLength: 10 }, [1 / 30, 1 / 30, undefined, 1 / 30]],
  // Prompt a has 6 tokens, prompt b has 1. Rows 0 and 1 are one rollout; row 2 has no token.
  [{ kind: "prompt-mean" }, [1 / 12, 1 / 12, undefined, 1 / 2]],
  [{ kind: "per-rollout-mean" }, [1 / 12, 1 / 12, undefined, 1 / 2]],
])("%o gives each token its share of the whole minibatch", (aggregation, expected) => {
  for (const [b, share] of perRow(aggregation).entries()) {
    expect(share ?? 0).toBeCloseTo(expected[b] ?? 0, 14);
  }
});

test("shares of every true mean add up to 1 and are 0 outside the mask", () => {
  for (const kind of [
    "token-mean",
    "seq-mean-token-mean",
    "prompt-mean",
    "per-rollout-mean",
  ] as const) {
    const shares = tokenShares({ kind }, rows);
    expect(shares.flatMap((row) => [...row]).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 14);
    for (const [b, row] of lossMask.entries()) {
      for (const [t, kept] of row.entries()) expect(kept || shares[b]?.[t] === 0).toBe(true);
    }
  }
});

test("a sequence's share is the sum of its tokens' shares", () => {
  const shares = tokenShares({ kind: "seq-mean-token-mean" }, rows);
  expect([...sequenceShares(lossMask, shares)]).toEqual([1 / 3, 1 / 3, 0, 1 / 3]);
});

test("a minibatch without loss tokens has no shares", () => {
  const none = { lossMask: [[false], [false, false]], prompts: [1, 2], rollouts: [1, 2] };
  for (const kind of ["token-mean", "seq-mean-token-sum", "prompt-mean"] as const) {
    expect(tokenShares({ kind }, none).map((row) => [...row])).toEqual([[0], [0, 0]]);
  }
});

test("missing ids and a non-positive maximal length are refused", () => {
  const shares = (aggregation: Aggregation) => () => tokenShares(aggregation, { lossMask });
  expect(shares({ kind: "prompt-mean" })).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
  expect(shares({ kind: "per-rollout-mean" })).toThrow(
    expect.objectContaining({ code: "SHAPE_MISMATCH" }),
  );
  expect(shares({ kind: "seq-mean-token-sum-norm", maxLength: 0 })).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});
