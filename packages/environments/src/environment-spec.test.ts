import { integerBelow } from "./draw.ts";
import { mulberry32 } from "@waggle/protocol";
import type { Observation, TaskReference } from "@waggle/protocol";
import { expect, test } from "vitest";
import { ENVIRONMENTS, environmentNamed, environmentOf, findEnvironment } from "./environments.ts";
import { drawInstance } from "./environment-task.ts";
import type { EnvironmentSpec } from "./environment-spec.ts";

const signal = new AbortController().signal;

/** Runs a demonstrator until the task ends, and judges the result. */
async function demonstrate(
  spec: EnvironmentSpec,
  reference: TaskReference,
  mistakes: number,
  seed = 1,
): Promise<{ success: boolean; reward: number; turns: number; finalText: string }> {
  const instance = spec.create(reference);
  const act = await spec.demonstrator(reference, mulberry32(seed), mistakes);
  await instance.environment.observe();
  let observation: Observation | null = null;
  for (let turn = 1; turn <= spec.maxTurns; turn += 1) {
    const { text, calls } = act(observation);
    const toolCalls = calls.map((call, i) => ({ id: `c${turn}-${i}`, ...call }));
    observation = await instance.environment.step({ text, toolCalls }, signal);
    if (!observation.terminated) continue;
    const { success, reward, turnRewards = [] } = await instance.judge(text);
    expect(turnRewards.reduce((sum, r) => sum + r, 0)).toBeLessThanOrEqual(1 + 1e-9);
    return { success, reward, turns: turn, finalText: text };
  }
  return { success: false, reward: 0, turns: spec.maxTurns, finalText: "" };
}

const references = (
  spec: EnvironmentSpec,
  split: "train" | "heldOut",
  count = 60,
): TaskReference[] =>
  Array.from({ length: count }, (_, i) => spec.reference(i * 7919, split, i % spec.levels));

test.each(ENVIRONMENTS.map((spec) => [spec.name, spec] as const))(
  "%s: a demonstrator without mistakes solves every task, and one with many often fails",
  async (_, spec) => {
    for (const split of ["train", "heldOut"] as const) {
      for (const reference of references(spec, split)) {
        const rollout = await demonstrate(spec, reference, 0);
        expect({ reference, ...rollout }).toMatchObject({ reference, success: true });
      }
    }
    const careless = await Promise.all(
      references(spec, "train", 200).map((reference, i) => demonstrate(spec, reference, 0.7, i)),
    );
    const rate = careless.filter(({ success }) => success).length / careless.length;
    expect(rate).toBeGreaterThan(0.02);
    expect(rate).toBeLessThan(0.8);
  },
);

test.each(ENVIRONMENTS.map((spec) => [spec.name, spec] as const))(
  "%s: a seed determines the task, and references have the requested level",
  (_, spec) => {
    const requests = new Set<string>();
    for (const split of ["train", "heldOut"] as const) {
      for (const reference of references(spec, split, 200)) {
        expect(spec.task(reference)).toEqual(spec.task({ ...reference }));
        requests.add(spec.task(reference).request);
      }
    }
    expect(requests.size).toBeGreaterThan(20);
    for (let level = 0; level < spec.levels; level += 1) {
      expect(spec.levelOf(spec.reference(0xffff_fffe, "train", level))).toBe(level);
    }
    const other = { environment: "other", seed: 1, split: "train" } as const;
    expect(() => spec.task(other)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
  },
);

test("an instance's content alone determines its split", () => {
  const keys = { train: new Set<number>(), heldOut: new Set<number>() };
  for (const split of ["train", "heldOut"] as const) {
    for (let seed = 0; seed < 500; seed += 1) {
      const reference = { environment: "any", seed, split };
      keys[split].add(
        drawInstance("any", reference, (random) => integerBelow(random, 100), String),
      );
    }
  }
  expect([...keys.train].filter((key) => keys.heldOut.has(key))).toEqual([]);
  expect(keys.train.size).toBeGreaterThan(50);
  expect(keys.heldOut.size).toBeGreaterThan(10);
});

test("environments are found by name, and an unknown name is refused with the list", () => {
  for (const spec of ENVIRONMENTS) expect(environmentNamed(spec.name)).toBe(spec);
  expect(() => environmentNamed("moon")).toThrow(/"moon".*strings, bandit/);
  // Tasks of every level belong to their environment.
  for (const spec of ENVIRONMENTS) {
    for (let level = 0; level < spec.levels; level += 1) {
      expect(environmentOf(spec.reference(7, "train", level))).toBe(spec);
    }
  }
  expect(() => environmentOf({ environment: "moon", seed: 1, split: "train" })).toThrow(/"moon"/);
});

test("an environment of the user is found by the name of each of its levels", () => {
  const desk = { ...environmentNamed("form"), name: "desk", environments: ["desk", "desk-hard"] };
  expect(findEnvironment("desk", [desk])).toBe(desk);
  expect(findEnvironment("desk-hard", [desk])).toBe(desk);
  expect(findEnvironment("form", [desk])).toBe(environmentNamed("form"));
  expect(findEnvironment("desk")).toBeUndefined();
});
