import { expect, test } from "vitest";
import { inLanes } from "./lanes.ts";

test("every index runs once, several concurrently, and results keep their order", async () => {
  let running = 0;
  let most = 0;
  const seen: number[] = [];
  const results = await inLanes(50, async (index) => {
    running += 1;
    most = Math.max(most, running);
    seen.push(index);
    // Later indices finish earlier.
    for (let turn = index; turn < 50; turn += 1) await Promise.resolve();
    running -= 1;
    return index * index;
  });
  expect(results).toEqual(Array.from({ length: 50 }, (_, index) => index * index));
  expect(seen.toSorted((a, b) => a - b)).toEqual(results.map((_, index) => index));
  expect(most).toBe(8);
});

test("after a failure nothing new starts, and running work finishes before the rejection", async () => {
  const begun: number[] = [];
  let ended = 0;
  const work = inLanes(100, async (index) => {
    begun.push(index);
    if (index === 3) throw new Error("index 3");
    await Promise.resolve();
    await Promise.resolve();
    ended += 1;
  });
  await expect(work).rejects.toThrow("index 3");
  expect(begun.length).toBeLessThan(40);
  expect(ended).toBe(begun.length - 1);
  expect(await inLanes(0, () => Promise.reject(new Error("never")))).toEqual([]);
});
