/** Difficulty levels: a policy that errs now and then fails more often at each level than at the one below. */
import { mulberry32 } from "@waggle/protocol";
import type { Observation } from "@waggle/protocol";
import { expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { ENVIRONMENTS, environmentNamed } from "./environments.ts";
import type { EnvironmentSpec } from "./environment-spec.ts";

const signal = new AbortController().signal;
const ROLLOUTS = 1500;
const MISTAKES = 0.5;
/** Standard errors of a difference that a step between levels must exceed. */
const SURE = 3;

/** Share of tasks of a level that the demonstrator solves. */
async function successRate(spec: EnvironmentSpec, level: number): Promise<number> {
  let successes = 0;
  for (let i = 0; i < ROLLOUTS; i += 1) {
    const reference = spec.reference(i * 7919 + 13, "train", level);
    const { environment, judge } = spec.create(reference);
    const act = await spec.demonstrator(reference, mulberry32(31 * i + level), MISTAKES);
    await environment.observe();
    let observation: Observation | null = null;
    for (let turn = 0; turn < spec.maxTurns; turn += 1) {
      const { text, calls } = act(observation);
      const toolCalls = calls.map((call, c) => ({ id: `${turn}-${c}`, ...call }));
      observation = await environment.step({ text, toolCalls }, signal);
      if (!observation.terminated) continue;
      if ((await judge(text)).success) successes += 1;
      break;
    }
  }
  return successes / ROLLOUTS;
}

/** Falls from level to level, in standard errors of the difference of two shares. */
async function falls(spec: EnvironmentSpec): Promise<number[]> {
  const rates: number[] = [];
  for (let level = 0; level < spec.levels; level += 1) rates.push(await successRate(spec, level));
  const variance = (rate: number): number => (rate * (1 - rate)) / ROLLOUTS;
  return rates
    .slice(1)
    .map((rate, i) => (rates[i]! - rate) / Math.sqrt(variance(rate) + variance(rates[i]!)));
}

test.for(ENVIRONMENTS.map((spec, i) => [spec.name, spec, i % 2 === 0] as const))(
  "%s gets harder at every level",
  async ([, spec, isSampled], context) => {
    skipOutside(isSampled, context);
    expect(spec.levels).toBeGreaterThan(1);
    for (const fall of await falls(spec)) expect(fall).toBeGreaterThan(SURE);
  },
);

test("the control: an environment whose levels are all the first one does not get harder", async () => {
  const form = environmentNamed("form");
  const flat = {
    ...form,
    reference: (seed: number, split: "train" | "heldOut") => form.reference(seed, split, 0),
  };
  for (const fall of await falls(flat)) expect(Math.abs(fall)).toBeLessThan(SURE);
});

test("recall: at each level, the lever that paid once is more often the wrong one", async () => {
  const spec = environmentNamed("recall");
  const rates: number[] = [];
  for (let level = 0; level < spec.levels; level += 1) {
    const random = mulberry32(level);
    const followed: boolean[] = [];
    for (let i = 0; i < ROLLOUTS; i += 1) {
      const { judge } = spec.create(spec.reference(i * 7919 + 13, "train", level));
      const judged = [await judge("left"), await judge("middle"), await judge("right")];
      const paid = judged.filter(({ reward }) => reward === 1);
      const read = paid[Math.floor(random() * paid.length)];
      if (read !== undefined) followed.push(read.success);
    }
    rates.push(followed.filter(Boolean).length / followed.length);
  }
  expect(rates[0]).toBe(1);
  expect(rates[1]).toBeLessThan(0.95);
  expect(rates[2]).toBeLessThan(rates[1]! - 0.1);
});
