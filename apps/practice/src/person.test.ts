import { expect, test } from "vitest";
import { drawPerson } from "./person.ts";

const PEOPLE = 20_000;

type Habits = { readonly answering: number; readonly wrong: number; readonly seed?: number };

/** Of many people with the same answer: the share that gives a thumb, and the share of thumbs up among these. */
function thumbsOf(isHappy: boolean, { answering, wrong, seed = 1 }: Habits) {
  const thumbs = Array.from({ length: PEOPLE }, (_, index) =>
    drawPerson({ seed, answering, wrong }, index).thumb(isHappy),
  ).filter((thumb) => thumb !== null);
  const up = thumbs.filter((thumb) => thumb === "thumb-up").length;
  return { given: thumbs.length / PEOPLE, up: up / thumbs.length, count: thumbs.length };
}

/** Within four standard errors. */
function expectShare(share: number, wanted: number, count: number): void {
  expect(Math.abs(share - wanted)).toBeLessThanOrEqual(
    4 * Math.sqrt((wanted * (1 - wanted)) / count),
  );
}

test.each([0.1, 0.5, 0.75])(
  "if half of the answers are right, a share of %s gives a thumb, unhappy people twice as often",
  (answering) => {
    const happy = thumbsOf(true, { answering, wrong: 0.15 }).given;
    const unhappy = thumbsOf(false, { answering, wrong: 0.15 }).given;
    expectShare(happy, (2 / 3) * answering, PEOPLE);
    expectShare(unhappy, (4 / 3) * answering, PEOPLE);
    expectShare((happy + unhappy) / 2, answering, 2 * PEOPLE);
  },
);

test("no one answers more often than always", () => {
  expectShare(thumbsOf(true, { answering: 1, wrong: 0 }).given, 2 / 3, PEOPLE);
  expect(thumbsOf(false, { answering: 1, wrong: 0 }).given).toBe(1);
});

test("without wrong thumbs, happy people press up and unhappy people down", () => {
  expect(thumbsOf(true, { answering: 0.5, wrong: 0 }).up).toBe(1);
  expect(thumbsOf(false, { answering: 0.5, wrong: 0 }).up).toBe(0);
});

test("15 % of the thumbs are wrong, for happy and for unhappy people", () => {
  const happy = thumbsOf(true, { answering: 0.5, wrong: 0.15 });
  const unhappy = thumbsOf(false, { answering: 0.5, wrong: 0.15 });
  expectShare(happy.up, 0.85, happy.count);
  expectShare(unhappy.up, 0.15, unhappy.count);
});

test("with half of the thumbs wrong, a thumb says nothing about the answer", () => {
  const happy = thumbsOf(true, { answering: 0.5, wrong: 0.5 });
  const unhappy = thumbsOf(false, { answering: 0.5, wrong: 0.5 });
  expectShare(happy.up, 0.5, happy.count);
  expectShare(unhappy.up, 0.5, unhappy.count);
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
