import { expect, test } from "vitest";
import { drawPerson } from "./person.ts";

const PEOPLE = 20_000;

type Habits = { readonly answering: number; readonly wrong: number; readonly seed?: number };

/** Of many people with the same answer: the share that says how it was, and the share of these that says it was good. */
function verdictsOf(isHappy: boolean, { answering, wrong, seed = 1 }: Habits) {
  const verdicts = Array.from({ length: PEOPLE }, (_, index) =>
    drawPerson({ seed, answering, wrong }, index).verdict(isHappy),
  ).filter((verdict) => verdict !== null);
  const good = verdicts.filter((verdict) => verdict === "good").length;
  return { given: verdicts.length / PEOPLE, good: good / verdicts.length, count: verdicts.length };
}

/** Within four standard errors. */
function expectShare(share: number, wanted: number, count: number): void {
  expect(Math.abs(share - wanted)).toBeLessThanOrEqual(
    4 * Math.sqrt((wanted * (1 - wanted)) / count),
  );
}

test.each([0.1, 0.5, 0.75])(
  "if half of the answers are right, a share of %s says how it was, unhappy people twice as often",
  (answering) => {
    const happy = verdictsOf(true, { answering, wrong: 0.15 }).given;
    const unhappy = verdictsOf(false, { answering, wrong: 0.15 }).given;
    expectShare(happy, (2 / 3) * answering, PEOPLE);
    expectShare(unhappy, (4 / 3) * answering, PEOPLE);
    expectShare((happy + unhappy) / 2, answering, 2 * PEOPLE);
  },
);

test("no one answers more often than always", () => {
  expectShare(verdictsOf(true, { answering: 1, wrong: 0 }).given, 2 / 3, PEOPLE);
  expect(verdictsOf(false, { answering: 1, wrong: 0 }).given).toBe(1);
});

test("without wrong verdicts, happy people say good and unhappy people bad", () => {
  expect(verdictsOf(true, { answering: 0.5, wrong: 0 }).good).toBe(1);
  expect(verdictsOf(false, { answering: 0.5, wrong: 0 }).good).toBe(0);
});

test("15 % of the verdicts are wrong, for happy and for unhappy people", () => {
  const happy = verdictsOf(true, { answering: 0.5, wrong: 0.15 });
  const unhappy = verdictsOf(false, { answering: 0.5, wrong: 0.15 });
  expectShare(happy.good, 0.85, happy.count);
  expectShare(unhappy.good, 0.15, unhappy.count);
});

test("with half of the verdicts wrong, a verdict says nothing about the answer", () => {
  const happy = verdictsOf(true, { answering: 0.5, wrong: 0.5 });
  const unhappy = verdictsOf(false, { answering: 0.5, wrong: 0.5 });
  expectShare(happy.good, 0.5, happy.count);
  expectShare(unhappy.good, 0.5, unhappy.count);
});

test("the seed decides the tasks, and pages with other seeds get other tasks", () => {
  const tasksOf = (seed: number) =>
    Array.from(
      { length: 200 },
      (_, index) => drawPerson({ seed, answering: 0.5, wrong: 0 }, index).taskSeed,
    );
  expect(tasksOf(1)).toEqual(tasksOf(1));
  expect(new Set([0, 1, 2, 3].flatMap(tasksOf)).size).toBe(800);
});

test("happy people never complain, unhappy people never praise, and a quarter of them repeats the request", () => {
  const said = (verdict: "good" | "bad") =>
    Array.from({ length: 2000 }, (_, index) =>
      drawPerson({ seed: 3, answering: 1, wrong: 0 }, index).message(verdict, "the request"),
    );
  const [good, bad] = [said("good"), said("bad")];
  expect(good.filter((message) => bad.includes(message))).toEqual([]);
  const repeated = bad.filter((message) => message === "the request").length;
  expectShare(repeated / bad.length, 0.25, bad.length);
  expect(new Set(good).size).toBe(8);
  expect(new Set(bad).size).toBe(9);
});
