import { expect, test } from "vitest";
import { recipeNamed } from "@waggle/learning";
import { RunSpending, shareOfRest } from "./run-spending.ts";

const budget = { sampledTokens: 1000, toolCalls: 100 };

test("stages spend their shares of the whole budget, although each limit is a share of the rest", () => {
  const two = { ...recipeNamed("agent-r")(), rounds: 2 };
  const shares = [0.25, 0.75];
  let left = 1;
  const spent = [0, 1].flatMap((round) =>
    shares.map((_, at) => {
      const part = left * shareOfRest(two, shares, round, at);
      left -= part;
      return part;
    }),
  );
  for (const [i, share] of [0.125, 0.375, 0.125, 0.375].entries()) {
    expect(spent[i]).toBeCloseTo(share, 12);
  }
  expect(shareOfRest(two, undefined, 0, 0)).toBe(1);
});

test("a limit lies between the amount spent and the budget, and either count reaches it", () => {
  const spending = new RunSpending();
  expect(spending.upTo(undefined, 0.5)).toBeUndefined();
  expect(spending.upTo(budget, 0.5)).toEqual({ sampledTokens: 500, toolCalls: 50 });
  expect(spending.exceeds(budget)).toBe(false);
  expect(spending.exceeds({ sampledTokens: 0, toolCalls: 100 })).toBe(true);
  expect(spending.exceeds({ sampledTokens: 1000, toolCalls: 0 })).toBe(true);
  expect(spending.exceeds(undefined)).toBe(false);
});
