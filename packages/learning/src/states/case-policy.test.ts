import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import { drawWeighted } from "../draw.ts";
import { caseMemory, type CaseMemory, creditCase, valueIn, writeCase } from "./case-memory.ts";
import {
  caseFeatures,
  caseLoss,
  type CasePolicy,
  casePolicy,
  caseValues,
  choiceChances,
  logChanceGradient,
  movedPolicy,
  softValue,
} from "./case-policy.ts";
import { readingText } from "./reading-text.ts";
import { wordOverlap } from "./words.ts";

const COLORS = ["red", "blue", "green", "white"] as const;
const SHAPES = ["star", "moon", "ring", "cross", "heart", "cone"] as const;
const LEVERS = ["left", "middle", "right"] as const;

function memoryOf(
  ...entries: readonly (readonly [situation: string, reward: number])[]
): CaseMemory {
  return entries.reduce(
    (memory, [situation, reward]) => writeCase(memory, { situation, action: "a", reward }),
    caseMemory(),
  );
}

function random(count: number, seed: number): number[] {
  const draw = mulberry32(seed);
  return Array.from({ length: count }, () => 2 * draw() - 1);
}

/** A policy whose weights are all different. */
function tilted(): CasePolicy {
  const policy = casePolicy(0.3);
  return { ...policy, weights: random(policy.weights.length, 5) };
}

const features = memoryOf(["red star", 1], ["blue star", 0], ["red moon", 0.5]).cases.map((entry) =>
  caseFeatures(entry, "red star now"),
);

test("probabilities are the softmax of values, and the soft value is their free energy", () => {
  const values = [1, 0.5, -2];
  const chances = choiceChances(values, 0.5);
  const plain = values.map((value) => Math.exp(value / 0.5));
  const sum = plain.reduce((a, b) => a + b, 0);
  expectClose(
    chances,
    plain.map((value) => value / sum),
  );
  expectClose([softValue(values, 0.5)], [0.5 * Math.log(sum)]);
  // Shifted by a constant, chances stay; the soft value is between the greatest and that plus α ln n.
  expectClose(
    choiceChances(
      values.map((value) => value + 700),
      0.5,
    ),
    chances,
  );
  expect(softValue(values, 1e-3)).toBeCloseTo(1, 9);
  expect(softValue([], 1)).toBe(0);
});

test("the gradients are those of central differences", () => {
  const policy = tilted();
  const step = 1e-6;
  const moved = (i: number, by: number): CasePolicy => ({
    ...policy,
    weights: policy.weights.map((weight, j) => (i === j ? weight + by : weight)),
  });
  const difference = (of: (policy: CasePolicy) => number): number[] =>
    policy.weights.map((_, i) => (of(moved(i, step)) - of(moved(i, -step))) / (2 * step));
  const logChance = (given: CasePolicy): number =>
    Math.log(choiceChances(caseValues(given, features), given.temperature)[2]!);
  const worst = (a: readonly number[], b: readonly number[]): number =>
    Math.max(...a.map((value, i) => Math.abs(value - b[i]!) / Math.max(1, Math.abs(value))));
  expect(worst(logChanceGradient(policy, features, 2), difference(logChance))).toBeLessThan(1e-6);
  expect(
    worst(
      caseLoss(policy, features[0]!, 0.7).gradient,
      difference((given) => caseLoss(given, features[0]!, 0.7).loss),
    ),
  ).toBeLessThan(1e-6);
});

test("the expected gradient of the probabilities is 0", () => {
  const policy = tilted();
  const chances = choiceChances(caseValues(policy, features), policy.temperature);
  const sum = policy.weights.map((_, i) =>
    features.reduce(
      (all, _row, c) => all + chances[c]! * logChanceGradient(policy, features, c)[i]!,
      0,
    ),
  );
  expectClose(
    sum,
    policy.weights.map(() => 0),
  );
});

test("a value moves towards its target without overshooting", () => {
  let policy = tilted();
  for (let i = 0; i < 200; i += 1) {
    policy = movedPolicy(policy, caseLoss(policy, features[1]!, 0.25).gradient, 0.2);
  }
  expectClose(caseValues(policy, [features[1]!]), [0.25]);
});

test("a case has a separate value in each stage", () => {
  let memory = memoryOf(["red star", 1]);
  memory = creditCase(memory, "k0", 0, { rate: 0.5, stage: "refine" });
  const [entry] = memory.cases;
  expect([valueIn(entry!), valueIn(entry!, "draft"), valueIn(entry!, "refine")]).toEqual([
    1, 1, 0.5,
  ]);
  expect(caseFeatures(entry!, "red", "refine")[2]).toBe(0.5);
  expect(JSON.parse(JSON.stringify(memory))).toEqual(memory);
});

test("similarity is symmetric, 1 for equal words in any case and order, and 0 for none", () => {
  expect(wordOverlap("Red star!", "star red").likeness).toBe(1);
  expect(wordOverlap("red star", "red moon").likeness).toBeCloseTo(1 / 3, 12);
  expect(wordOverlap("", "")).toEqual({ shared: [], likeness: 0 });
});

test("guidance has one wording", () => {
  const text = readingText({
    prompt: "Be quick.",
    lessons: ["one", "two"],
    cases: [{ situation: "red", action: "left", reward: 1 }],
  });
  expect(text).toBe("Be quick.\n\nLessons:\n- one\n- two\n\nA case that went well: red\nleft");
  expect(readingText({})).toBe("");
});

/** Share of right answers in the last rounds, of an actor that repeats the action of the case it reads. */
function learns(
  seed: number,
  how: "learned" | "random" | "shuffled rewards",
  rounds = 600,
): number {
  const draw = mulberry32(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(draw() * from.length)]!;
  let memory = caseMemory();
  for (const color of COLORS) {
    for (const shape of SHAPES.slice(0, 3)) {
      // Only the color decides: a case of another color does not help, even if its shape is equal.
      const action = LEVERS[COLORS.indexOf(color) % 3]!;
      memory = writeCase(memory, { situation: `${color} ${shape}`, action, reward: 1 });
    }
  }
  let policy = casePolicy(how === "random" ? 1e9 : 0.1);
  let right = 0;
  for (let round = 0; round < rounds; round += 1) {
    const color = pick(COLORS);
    const situation = `${color} ${pick(SHAPES)}`;
    const rows = memory.cases.map((entry) => caseFeatures(entry, situation));
    const chances = choiceChances(caseValues(policy, rows), policy.temperature);
    const chosen = drawWeighted(chances, 1, draw)[0]!;
    const { action, id } = memory.cases[chosen]!;
    const isRight = action === LEVERS[COLORS.indexOf(color) % 3];
    if (round >= rounds - 200 && isRight) right += 1;
    const reward = how === "shuffled rewards" ? Math.round(draw()) : isRight ? 1 : 0;
    memory = creditCase(memory, id, reward);
    policy = movedPolicy(policy, caseLoss(policy, rows[chosen]!, reward).gradient, 0.1);
  }
  return right / 200;
}

test("a learned choice of cases beats a random one; with shuffled rewards it does not", () => {
  const seeds = [1, 2, 3, 4, 5];
  const rates = (how: Parameters<typeof learns>[1]): number[] =>
    seeds.map((seed) => learns(seed, how));
  const [learned, random, shuffled] = [
    rates("learned"),
    rates("random"),
    rates("shuffled rewards"),
  ];
  const mean = (values: readonly number[]): number =>
    values.reduce((a, b) => a + b, 0) / values.length;
  // 200 draws of a rate of 0.4 have a deviation of 0.035.
  expect(Math.min(...learned)).toBeGreaterThan(Math.max(...random) + 0.2);
  expect(mean(learned)).toBeGreaterThan(0.85);
  expect(mean(learned)).toBeGreaterThan(mean(shuffled) + 0.2);
});
