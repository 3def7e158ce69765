import { checkEnvironment } from "@waggle/agent/define";
import { expect, test } from "vitest";
import tools, { start } from "../src/tools.ts";
import environment from "./environment.ts";

// It plays hundreds of tasks, which takes longer than Vitest's five seconds on a busy machine.
test("the environment passes every check", async () => {
  for await (const { check, status, words } of checkEnvironment(environment)) {
    expect(status, `${check}: ${words}`).not.toBe("failed");
  }
}, 60_000);

test.each(["train", "heldOut"] as const)("there are many different tasks: %s", (split) => {
  const requests = Array.from({ length: 200 }, (_, seed) => {
    return environment.task(environment.reference(seed, split, 0)).request;
  });
  expect(new Set(requests).size).toBeGreaterThanOrEqual(20);
});

test("a room that was reserved in the page is not free any more", async () => {
  start({ reservations: [] });
  const context = { signal: new AbortController().signal };
  const time = { day: "monday", time: "10:00" };
  const [freeRooms, reserve] = tools;
  await reserve?.run({ room: "nook", ...time }, context);
  expect(await freeRooms?.run(time, context)).toMatchObject([{ room: "loft" }, { room: "hall" }]);
});
