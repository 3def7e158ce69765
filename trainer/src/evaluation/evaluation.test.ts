import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test } from "vitest";
import { type EvaluationTask, rollOutTasks, successesOf } from "./evaluation.ts";

const TASKS: readonly EvaluationTask[] = Array.from({ length: 20 }, (_, place) => ({
  place,
  task: { environment: "shop", seed: 100 + place, split: "heldOut" },
  seed: 7 * place,
}));
const { signal } = new AbortController();

test.each([true, false])("outcomes have the order of the tasks, batched: %s", async (isBatched) => {
  let running = 0;
  let most = 0;
  const rollouts = await rollOutTasks({
    tasks: TASKS,
    rollOut: async ({ place, seed }, sampling) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return { seed, sampling, verification: { success: place % 3 === 0 } };
    },
    isBatched,
    signal,
  });
  expect(rollouts.map(({ seed }) => seed)).toEqual(TASKS.map(({ seed }) => seed));
  expect(rollouts[0]?.sampling).toEqual(FULL_SUPPORT);
  expect(successesOf(rollouts)).toEqual(TASKS.map(({ place }) => place % 3 === 0));
  expect(most > 1).toBe(isBatched);
});

test("no task begins after an abort", async () => {
  const controller = new AbortController();
  let begun = 0;
  const run = rollOutTasks({
    tasks: TASKS,
    rollOut: async () => {
      begun += 1;
      controller.abort();
    },
    isBatched: false,
    signal: controller.signal,
  });
  await expect(run).rejects.toThrow(/aborted/);
  expect(begun).toBe(1);
});
