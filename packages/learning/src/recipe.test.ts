import { expect, test } from "vitest";
import { constantRate, cosineRate, warmedUpRate } from "./schedules/learning-rate.ts";
import { broadcastAdvantages, requireCapabilities } from "./recipe.ts";
import { recipeNamed, RECIPES } from "./recipes/registry.ts";
import { shuffled } from "./advantages/shuffle.ts";

const lossMask = [
  [false, true, true],
  [false, true],
];
const minibatch = {
  lossMask,
  advantages: broadcastAdvantages([1, -1], lossMask),
  policyLogProbs: [
    [0, -1, -2],
    [0, -0.5],
  ],
  proximalLogProbs: [
    [0, -1.2, -2.5],
    [0, -0.1],
  ],
  behaviorLogProbs: [
    [0, -1.2, -5],
    [0, -0.1],
  ],
  entropies: [
    [0, 1, 1],
    [0, 1],
  ],
  tokenCount: 3,
};

test("grpo: bounds 0.2/0.2, no weights, advantages over the standard deviation, every pair kept", () => {
  const recipe = recipeNamed("grpo");
  // exp(0.2) = 1.221 and exp(0.5) = 1.649 are clipped to 1.2; exp(−0.4) = 0.670 to 0.8 (A < 0).
  expect(recipe.loss(minibatch).loss).toBeCloseTo((-1.2 - 1.2 + 0.8) / 3, 12);
  expect(recipe.advantage([1, 0])[0]).toBeCloseTo(1, 5);
  expect(recipe.filter([0, 0])).toBeNull();
  expect(recipe.filter([1])).toBe("group-of-one");
});

test("dr-grpo-tis: bounds 0.2/0.28, token weights capped at 2, advantages without a std, flat groups left out", () => {
  const recipe = recipeNamed("dr-grpo-tis");
  // Token 1: ratio 1.2214, weight 1; token 2: clipped to 1.28, weight min(e^2.5, 2) = 2; then 0.8.
  expect(recipe.loss(minibatch).loss).toBeCloseTo((-Math.exp(0.2) - 2 * 1.28 + 0.8) / 3, 12);
  expect(recipe.advantage([1, 0])).toEqual([0.5, -0.5]);
  expect(recipe.filter([0.5, 0.5])).toBe("no-signal");
  expect(recipe.filter([0.5, 0.6])).toBeNull();
  expect(recipe.filter([0.5])).toBe("group-of-one");
});

test.each(Object.keys(RECIPES))("%s on data of its own policy has ratio 1 and no clip", (name) => {
  const { metrics } = recipeNamed(name).loss({
    ...minibatch,
    proximalLogProbs: minibatch.policyLogProbs,
    behaviorLogProbs: minibatch.policyLogProbs,
  });
  expect(metrics["clipFraction"]).toBe(0);
  expect(metrics["importanceRatioMean"]).toBeCloseTo(1, 12);
  expect(metrics["entropy"]).toBeCloseTo(1, 12);
});

test("a recipe with an entropy bonus is refused on an engine without entropy derivatives", () => {
  const engine = {
    outputs: ["logProb"],
    derivatives: ["logProb"],
    sequences: [],
    trains: "lora",
    reads: [],
    device: "remote",
  } as const;
  expect(() => requireCapabilities(recipeNamed("dr-grpo-tis"), engine)).not.toThrow();
  expect(() =>
    requireCapabilities(recipeNamed("dr-grpo-tis", { entropyCoefficient: 0.01 }), engine),
  ).toThrow(expect.objectContaining({ code: "CAPABILITY_MISSING" }));
});

test("a recipe is refused by the sampling and the optimizer that an engine cannot replay", () => {
  const engine = {
    outputs: ["logProb"],
    derivatives: ["logProb"],
    sequences: [],
    trains: "lora",
    reads: [],
    fixedOptimizer: { maxGradientNorm: 1 },
    device: "remote",
  } as const;
  const recipe = recipeNamed("grpo");
  const sampling = (change: object) => ({
    ...recipe,
    rollout: { ...recipe.rollout, sampling: { ...recipe.rollout.sampling, ...change } },
  });
  const optimizer = (change: object) => ({
    ...recipe,
    schedule: { ...recipe.schedule, optimizer: { ...recipe.schedule.optimizer, ...change } },
  });
  const lacking = (changed: typeof recipe): unknown => {
    try {
      requireCapabilities(changed, engine);
      return null;
    } catch (error) {
      return /without (.*?); the engines/.exec((error as Error).message)?.[1];
    }
  };
  expect(lacking(recipe)).toBe(null);
  expect(lacking(sampling({ temperature: 0.7 }))).toBe("temperatures");
  expect(lacking(sampling({ topK: 20 }))).toBe("keptTokenIds");
  expect(lacking(optimizer({ maxGradientNorm: 0.5 }))).toBe(
    "maxGradientNorm 0.5 (its server was started with 1)",
  );
  expect(lacking(optimizer({ beta2: 0.999 }))).toBe(
    "beta2 0.999 (its server was started with 0.95)",
  );
});

test("without entropies a recipe reports none, and an entropy bonus is refused", () => {
  const rows = [[0, -1, -2]];
  const minibatch = {
    lossMask: [[false, true, true]],
    advantages: [[0, 1, 1]],
    policyLogProbs: rows,
    proximalLogProbs: rows,
    behaviorLogProbs: rows,
    tokenCount: 2,
  };
  expect(recipeNamed("grpo").loss(minibatch).metrics).not.toHaveProperty("entropy");
  expect(() => recipeNamed("grpo", { entropyCoefficient: 0.1 }).loss(minibatch)).toThrow(
    expect.objectContaining({ code: "CAPABILITY_MISSING" }),
  );
});

test.each(["nope", "toString"])("refuses the recipe name %s", (name) => {
  expect(() => recipeNamed(name)).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("options fill the schedule", () => {
  const { schedule, rollout } = recipeNamed("grpo", {
    groupsPerStep: 4,
    epochs: 2,
    maxStaleness: 7,
    learningRate: constantRate(0.5),
  });
  expect([schedule.groupsPerStep, schedule.epochs, rollout.maxStaleness]).toEqual([4, 2, 7]);
  expect(schedule.learningRate(99)).toBe(0.5);
});

test("learning rates: warm-up is linear and a cosine ends at its floor", () => {
  expect([0, 1, 3, 9].map(warmedUpRate(8, 4))).toEqual([2, 4, 8, 8]);
  const cosine = cosineRate({ rate: 1, warmUpSteps: 2, totalSteps: 10, floor: 0.1 });
  expect(cosine(0)).toBe(0.5);
  expect(cosine(6)).toBeCloseTo(0.55, 12);
  expect(cosine(10)).toBeCloseTo(0.1, 12);
});

test("shuffled keeps the values and follows its random source", () => {
  const zeros = shuffled([1, 2, 3, 4], () => 0);
  expect(zeros).toEqual([2, 3, 4, 1]);
  expect(shuffled([1, 2, 3, 4], () => 0.999)).toEqual([1, 2, 3, 4]);
});
