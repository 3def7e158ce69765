import { Command } from "commander";
import { expect, test } from "vitest";
import { learningRateOf, type ScheduleOptions, withSchedule } from "./schedule-options.ts";

function ratesOf(lastStep: number, steps: number[], ...args: string[]): number[] {
  const command = withSchedule(new Command(), 2).parse(args, { from: "user" });
  return steps.map(learningRateOf(command.opts<ScheduleOptions>(), lastStep));
}

test("the rate is constant, with a warm-up if requested", () => {
  expect(ratesOf(Infinity, [0, 1, 99])).toEqual([2, 2, 2]);
  expect(ratesOf(Infinity, [0, 1, 3, 99], "--warmup-steps", "4")).toEqual([0.5, 1, 2, 2]);
});

test("a cosine falls from the warm-up to a tenth of the peak, and stays there", () => {
  const cosine = ["--schedule", "cosine", "--learning-rate", "1", "--warmup-steps", "2"];
  const rates = ratesOf(10, [0, 1, 2, 6, 10, 50], ...cosine);
  // Halfway between 2 and 10: 0.1 + 0.9 · (1 + cos(π/2)) / 2
  [0.5, 1, 1, 0.55, 0.1, 0.1].forEach((rate, i) => expect(rates[i]).toBeCloseTo(rate, 12));
  expect(ratesOf(10, [18], ...cosine, "--schedule-steps", "18")[0]).toBeCloseTo(0.1, 12);
});

test("a cosine without an end, or that ends during warm-up, is refused", () => {
  const refused = (lastStep: number, ...args: string[]) => {
    expect(() => ratesOf(lastStep, [0], "--schedule", "cosine", ...args)).toThrow(
      /ends before its/,
    );
  };
  refused(Infinity);
  refused(4, "--warmup-steps", "4");
});
