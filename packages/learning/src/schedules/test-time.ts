/** `test-time`: a stage that runs for held-out tasks and is undone afterwards. */
import type { SchedulePart } from "../composition/stage.ts";

/** @param each - whether it runs for each held-out task or for each level. */
export function testTime(each: "task" | "level"): SchedulePart {
  return { slot: "schedule", part: "test-time", at: (settings) => settings, testTime: each };
}
