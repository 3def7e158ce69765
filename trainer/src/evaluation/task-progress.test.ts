/** Progress of an evaluation, with a fake clock. */
import { expect, test } from "vitest";
import { taskProgress } from "./task-progress.ts";

test("progress is reported every five seconds with the time left, and at the last task", () => {
  let time = 0;
  const reported: number[][] = [];
  const onTask = taskProgress(
    10,
    (...progress) => reported.push(progress),
    () => time,
  );
  for (let task = 0; task < 10; task += 1) {
    // The first half takes two seconds a task, and the second half three.
    time += task < 5 ? 2000 : 3000;
    onTask();
  }
  expect(reported).toEqual([
    [3, 14],
    [6, (13 / 6) * 4],
    [8, (19 / 8) * 2],
    [10, 0],
  ]);
});
