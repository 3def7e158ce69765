import { expect, test } from "vitest";
import { createTestClock } from "./test-clock.ts";

test("timers run in the order of their time, none before it, none that was canceled", () => {
  const clock = createTestClock();
  const ran: string[] = [];
  clock.schedule(() => ran.push("late"), 20);
  clock.schedule(() => {
    ran.push("early");
    clock.schedule(() => ran.push("after early"), 5);
  }, 10);
  clock.schedule(() => ran.push("canceled"), 10)();
  clock.advance(9);
  expect(ran).toEqual([]);
  clock.advance(10);
  expect(ran).toEqual(["early", "after early"]);
  clock.advance(1);
  expect(ran).toEqual(["early", "after early", "late"]);
});
