import { expect, test } from "vitest";
import type { OperatorHealth } from "@waggle/protocol";
import { trainerStatus } from "./trainer-status.ts";

const at = "2026-11-23T12:03:00.000Z";
const beat = { trainerId: "a", step: 42, activity: "learning" as const };
const health = (trainers: OperatorHealth["trainers"]): OperatorHealth => ({
  at,
  trainers,
  refusals: [],
  days: 7,
});

test("a running trainer is live and shows its activity", () => {
  const running = { ...beat, seenAt: at, isRunning: true };
  const old = { ...beat, trainerId: "b", seenAt: "2026-11-22T12:00:00.000Z", isRunning: false };
  expect(trainerStatus(health([old, running]))).toEqual({
    isRunning: true,
    label: "live",
    detail: "Now learning, step 42.",
  });
  const second = { ...running, trainerId: "c" };
  expect(trainerStatus(health([running, second])).detail).toContain("1 more running");
});

test("a silent trainer counts as none, with its last activity and time", () => {
  const silent = { ...beat, seenAt: "2026-11-23T12:00:00.000Z", isRunning: false };
  expect(trainerStatus(health([silent]))).toEqual({
    isRunning: false,
    label: "no trainer",
    detail: "Last seen 3 min ago, learning, step 42.",
  });
  expect(trainerStatus(health([])).label).toBe("no trainer");
});
