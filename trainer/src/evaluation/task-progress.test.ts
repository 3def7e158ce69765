/** Progress of an evaluation, with a fake clock. */
import { expect, test } from "vitest";
import { taskProgress } from "./task-progress.ts";

test("progress is reported every five seconds, and at the last task", () => {
  let time = 0;
  const reported: number[] = [];
  const onTask = taskProgress(
    10,
    (done) => reported.push(done),
    () => time,
  );
  for (let task = 0; task < 10; task += 1) {
    time += 2000;
    onTask();
  }
  expect(reported).toEqual([3, 6, 9, 10]);
});
