/** `test-time`: a stage that is gone through for held-out tasks, and undone after them. */
import type { SchedulePart } from "../composition/stage.ts";

/** @param each - what it is gone through for: every held-out task, or all of one level. */
export function testTime(each: "task" | "level"): SchedulePart {
  return { slot: "schedule", part: "test-time", at: (settings) => settings, testTime: each };
}
