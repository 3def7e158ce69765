/** Reading lessons reveal nothing about lights. They only teach to follow or avoid the action of a case. */
import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { RECALL } from "./recall.ts";
import type { ReadingLessons } from "./environment-spec.ts";

const { lesson } = RECALL.reading as ReadingLessons;
const LESSONS = Array.from({ length: 900 }, (_, seed) => {
  const { case: shown, reader } = lesson(mulberry32(seed));
  return { ...shown, said: reader(null).text };
});

test("a reader repeats the lever of a rewarded case and avoids that of an unrewarded one", () => {
  for (const { action, reward, said } of LESSONS) expect(said === action).toBe(reward === 1);
  const afterWrong = LESSONS.filter(({ reward }) => reward === 0);
  expect(afterWrong.length / LESSONS.length).toBeCloseTo(0.5, 1);
});

test("every lever is rewarded equally often under every light", () => {
  const went = LESSONS.filter(({ reward }) => reward === 1);
  const counts = Map.groupBy(
    went,
    ({ situation, action }) => `${situation.split(" ")[0]} ${action}`,
  );
  // 450 cases in 18 pairs: 25 each, with a deviation of 5. The bandit's own rule would leave 12 pairs empty.
  expect(counts.size).toBe(18);
  for (const of of counts.values()) expect(of.length).toBeGreaterThan(8);
});
