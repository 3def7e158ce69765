/** Lessons of reading say nothing about lights: only what a case did, and whether it went well. */
import { expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { RECALL } from "./recall.ts";
import type { ReadingLessons } from "./environment-spec.ts";

const { lesson } = RECALL.reading as ReadingLessons;
const LESSONS = Array.from({ length: 900 }, (_, seed) => {
  const { case: shown, reader } = lesson(createRandom(seed));
  return { ...shown, said: reader(null).text };
});

test("who reads pulls the lever of a case that went well and another than that of one that went wrong", () => {
  for (const { action, reward, said } of LESSONS) expect(said === action).toBe(reward === 1);
  const afterWrong = LESSONS.filter(({ reward }) => reward === 0);
  expect(afterWrong.length / LESSONS.length).toBeCloseTo(0.5, 1);
});

test("a lever goes well under every light as often as any other", () => {
  const went = LESSONS.filter(({ reward }) => reward === 1);
  const counts = Map.groupBy(
    went,
    ({ situation, action }) => `${situation.split(" ")[0]} ${action}`,
  );
  // 450 in 18 pairs: 25 each with a deviation of 5. The bandit's own rule would leave 12 pairs empty.
  expect(counts.size).toBe(18);
  for (const of of counts.values()) expect(of.length).toBeGreaterThan(8);
});
