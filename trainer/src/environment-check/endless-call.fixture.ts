/** A program with checks that call tools which never await. It prints what the checks say. */
import type { EnvironmentCheck } from "@waggle/agent/define";
import { type EndlessCallWatch, untilEnded, watchEndlessCalls } from "./endless-call.ts";

/** @param isAwaited - false for a run with a time limit, which notices the end of the loop. */
async function* checks(
  { onCall }: EndlessCallWatch,
  isAwaited: boolean,
): AsyncGenerator<EnvironmentCheck> {
  const passed: EnvironmentCheck = { check: "tasks", status: "passed", words: "all tasks" };
  onCall({ what: "the tool search", place: "seed 7, train, level 0" });
  onCall(null);
  yield passed;
  onCall({ what: "the tool file", place: "seed 0, train, level 0" });
  const loop = Promise.resolve().then(() => {
    for (;;);
  });
  await (isAwaited ? loop : new Promise((resolve) => setTimeout(resolve, 1)));
  yield passed;
}

for (const isAwaited of [true, false]) {
  const calls = watchEndlessCalls(50);
  for await (const { check, words } of untilEnded(checks(calls, isAwaited), calls)) {
    process.stdout.write(`${check}: ${words}\n`);
  }
  await calls.close();
}
