import { expect, test } from "vitest";
import { responseWeight } from "./response-weight.ts";

/** 100 of 1000 requests of the site have feedback. */
const alike = (requests: number, answered: number) => ({
  requests,
  answered,
  allRequests: 1000,
  allAnswered: 100,
});

test.each([
  // (60 + 2) / (200 + 20), and 0.1 over it.
  ["often", 200, 60, 0.35484],
  // (40 + 2) / (800 + 20).
  ["seldom", 800, 40, 1.95238],
  ["as the others", 500, 50, 1],
  // (0 + 2) / (10 + 20) would be 1.5 times rarer than the mean.
  ["never, and rare itself", 10, 0, 1.5],
  ["never, clipped", 900, 0, 4],
  ["always, clipped", 100, 100, 0.25],
  ["of an unknown kind", 0, 0, 1],
] as const)("a kind that is answered %s has its weight", (_, requests, answered, weight) => {
  expect(responseWeight(alike(requests, answered))).toBeCloseTo(weight, 5);
});

test("without any feedback the weight is 1", () => {
  expect(responseWeight({ requests: 5, answered: 0, allRequests: 9, allAnswered: 0 })).toBe(1);
  expect(responseWeight({ requests: 0, answered: 0, allRequests: 0, allAnswered: 0 })).toBe(1);
});

/** Mean reward of those who answer, weighted and not, beside that of all. Two kinds of visitors in exact shares. */
function means(chance: (kind: number, reward: number) => number) {
  const kinds = [
    { requests: 4000, liked: 0.9 },
    { requests: 16_000, liked: 0.3 },
  ];
  const cells = kinds.flatMap(({ requests, liked }, kind) =>
    [1, 0].map((reward) => {
      const count = requests * (reward === 1 ? liked : 1 - liked);
      return { kind, reward, count, answered: count * chance(kind, reward) };
    }),
  );
  const sum = (of: (cell: (typeof cells)[number]) => number) =>
    cells.reduce((all, cell) => all + of(cell), 0);
  const weightOf = (kind: number) =>
    responseWeight({
      requests: sum((one) => (one.kind === kind ? one.count : 0)),
      answered: sum((one) => (one.kind === kind ? one.answered : 0)),
      allRequests: sum(({ count }) => count),
      allAnswered: sum(({ answered }) => answered),
    });
  const meanOf = (weight: (cell: (typeof cells)[number]) => number) =>
    sum((cell) => weight(cell) * cell.reward) / sum(weight);
  return {
    all: meanOf(({ count }) => count),
    answered: meanOf(({ answered }) => answered),
    weighted: meanOf(({ answered, kind }) => answered * weightOf(kind)),
  };
}

test("the weighted mean is that of all requests, if the kind alone decides who answers", () => {
  const { all, answered, weighted } = means((kind) => (kind === 0 ? 0.4 : 0.1));
  expect(all).toBeCloseTo(0.42, 12);
  expect(answered).toBeCloseTo(0.6, 12);
  // What is left is the prior of 20 requests.
  expect(Math.abs(weighted - all)).toBeLessThan(0.002);
});

test("equal chances leave every mean as it is", () => {
  const { all, answered, weighted } = means(() => 0.2);
  expect(answered).toBeCloseTo(all, 12);
  expect(weighted).toBeCloseTo(all, 12);
});

test("the bias stays where unhappy people answer twice as often", () => {
  const { all, answered, weighted } = means((_, reward) => (reward === 1 ? 0.1 : 0.2));
  // 0.42 · 0.1 / (0.42 · 0.1 + 0.58 · 0.2)
  expect(answered).toBeCloseTo(0.26582, 5);
  expect(all - weighted).toBeGreaterThan(0.1);
});
