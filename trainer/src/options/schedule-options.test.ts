import { Command } from "commander";
import { expect, test } from "vitest";
import { recipeNamed, settingsAt, type Stage } from "@waggle/learning";
import { partContext } from "../recipes/part-context.ts";
import {
  learningRateOf,
  optimizerOf,
  type ScheduleFlags,
  scheduledRecipe,
  type ScheduleOptions,
  withRecipeSchedule,
  withSchedule,
} from "./schedule-options.ts";

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

test("the moments of AdamW are passed on only if they are given", () => {
  const optimizer = (...args: string[]) =>
    optimizerOf(withSchedule(new Command(), 2).parse(args, { from: "user" }).opts());
  expect(optimizer()).toEqual({ maxGradientNorm: 1, weightDecay: 0 });
  expect(optimizer("--beta1", "0.8", "--beta2", "0.999")).toMatchObject({
    beta1: 0.8,
    beta2: 0.999,
  });
});

function scheduled(name: string, ...args: string[]): readonly Stage[] {
  const command = withRecipeSchedule(new Command()).parse(args, { from: "user" });
  return scheduledRecipe(recipeNamed(name)(), command.opts<ScheduleFlags>()).stages;
}

function rateAt(stage: Stage, step: number): number {
  return settingsAt(stage, partContext(stage, step)).learningRate;
}

test("options of a recipe's schedule replace its values in every stage, also of merged models", () => {
  const { stages } = recipeNamed("astra")();
  const [own, changed] = [stages, scheduled("astra", "--warmup-steps", "4", "--beta2", "0.99")];
  expect(changed.length).toBeGreaterThan(1);
  for (const [i, stage] of changed.entries()) {
    const before = own[i] as Stage;
    expect(rateAt(stage, 0)).toBeCloseTo(rateAt(before, 0) / 4, 12);
    expect(rateAt(stage, 9)).toBe(rateAt(before, 9));
    expect(stage.optimizer).toEqual({ ...before.optimizer, beta2: 0.99 });
  }
  const merging = scheduled("model-ratatouille", "--learning-rate", "0.5").find(
    (stage) => stage.merging,
  );
  const members = merging?.merging?.members.flat() ?? [];
  expect(members.map((stage) => rateAt(stage, 0))).toEqual(members.map(() => 0.5));
  expect(members.length).toBeGreaterThan(1);
});

test("without options a recipe keeps its schedule, and a cosine shorter than its warm-up is refused", () => {
  const own = recipeNamed("grpo")();
  const [stage] = scheduledRecipe(own, {}).stages;
  expect(stage).toEqual(own.stages[0]);
  expect(() => scheduled("grpo", "--schedule", "cosine", "--warmup-steps", "9999")).toThrow(
    /ends before its/,
  );
});
