import { expect, test } from "vitest";
import type { Heartbeat } from "@waggle/protocol";
import { startHeartbeat } from "./heartbeat.ts";

test("each heartbeat reports the activity, a failed one is ignored, and the last one reports the stop", async () => {
  const sent: Heartbeat[] = [];
  let tick = (): void => {};
  let isTicking = true;
  const heartbeat = startHeartbeat({
    trainerId: "t",
    send: async (beat) => {
      sent.push(beat);
      throw new Error("the edge is away");
    },
    every: (_, fn) => {
      tick = fn;
      return () => {
        isTicking = false;
      };
    },
  });
  // Only one send at a time, so the previous one must settle first.
  await Promise.resolve().then(() => new Promise((resolve) => setImmediate(resolve)));
  heartbeat.note("learning", 7);
  tick();
  await heartbeat.stop();
  expect(sent.map(({ activity, step }) => [activity, step])).toEqual([
    ["starting", 0],
    ["learning", 7],
    ["stopped", 7],
  ]);
  expect(isTicking).toBe(false);
});
