import { recipeNamed, shuffled } from "@waggle/learning";
import { type PageReward, seededRandom, type Tensor, type TensorMap } from "@waggle/protocol";
import { expect, test } from "vitest";
import { ofNewestScale, rewardStep, type RewardStepOptions } from "./reward-step.ts";

const evolution = recipeNamed("evolution-strategies")().stages[0]!.evolution!;
const NAME = "layer.lora_B.weight";
const parameters: TensorMap = new Map([
  ["layer.lora_A.weight", { shape: [1, 2], data: Float32Array.of(1, 1) }],
  [NAME, { shape: [2, 1], data: Float32Array.of(0, 0) }],
]);
const UNBOUNDED: RewardStepOptions = {
  learningRate: 0.1,
  shares: { visitor: 1, network: 1 },
  shuffle: null,
};

const rewardOf = (i: number, edit: Partial<PageReward> = {}): PageReward => ({
  assignmentId: `assignment ${i}`,
  visitorId: `visitor ${i % 20}`,
  network: `network ${i % 20}`,
  perturbation: { policyVersion: 1, seed: i >> 1, direction: i % 2 === 0 ? 1 : -1, scale: 0.1 },
  reward: i % 3 === 0 ? 1 : 0,
  ...edit,
});
const honest = Array.from({ length: 40 }, (_, i) => rewardOf(i));

/** Share of each visitor in the absolute weights. */
function shares(rewards: readonly PageReward[], weights: ReadonlyMap<string, number>) {
  const of = new Map(rewards.map(({ assignmentId, visitorId }) => [assignmentId, visitorId]));
  const sums = new Map<string, number>();
  for (const [id, weight] of weights) {
    const name = of.get(id) ?? "";
    sums.set(name, (sums.get(name) ?? 0) + Math.abs(weight));
  }
  const total = [...sums.values()].reduce((a, b) => a + b, 0);
  return new Map([...sums].map(([name, weight]) => [name, weight / total]));
}

test("the step moves B alone, and is the recipe's own where nothing is bounded", () => {
  const { parameters: next, weights } = rewardStep(parameters, honest, evolution, UNBOUNDED);
  expect([...next.keys()]).toEqual([NAME]);
  expect(weights.size).toBe(40);
  const plain = evolution.how.step(
    new Map([[NAME, parameters.get(NAME) as Tensor]]),
    honest.map(({ perturbation: { seed, direction }, reward }) => ({ seed, direction, reward })),
    { learningRate: 0.1, noiseScale: 0.1, fitness: "standardized" },
  );
  const moved = next.get(NAME)?.data as Float32Array;
  for (const [i, value] of (plain.get(NAME) as Tensor).data.entries()) {
    expect(moved[i]).toBeCloseTo(value, 6);
    expect(value).not.toBe(0);
  }
});

test("a visitor who sends most rewards decides no more than the share", () => {
  const hostile = Array.from({ length: 120 }, (_, i) =>
    rewardOf(100 + i, { visitorId: "flood", network: "flood", reward: i % 2 }),
  );
  const all = [...honest, ...hostile];
  const free = rewardStep(parameters, all, evolution, UNBOUNDED);
  expect(shares(all, free.weights).get("flood")).toBeGreaterThan(0.6);
  const bounded = rewardStep(parameters, all, evolution, {
    ...UNBOUNDED,
    shares: { visitor: 0.1, network: 1 },
  });
  expect(shares(all, bounded.weights).get("flood")).toBeLessThan(0.1 + 1e-9);
  expect(bounded.metrics["influenceScaleMin"]).toBeLessThan(0.2);
});

test("many visitors of one network are bounded together", () => {
  const sybils = Array.from({ length: 120 }, (_, i) =>
    rewardOf(100 + i, { visitorId: `sybil ${i}`, network: "one", reward: i % 2 }),
  );
  const all = [...honest, ...sybils];
  const { weights } = rewardStep(parameters, all, evolution, {
    ...UNBOUNDED,
    shares: { visitor: 0.1, network: 0.1 },
  });
  const ofSybils = [...shares(all, weights)].filter(([name]) => name.startsWith("sybil"));
  expect(ofSybils.reduce((sum, [, share]) => sum + share, 0)).toBeLessThan(0.1 + 1e-9);
});

test("equal rewards move nothing, and rewards of an earlier noise scale are left out", () => {
  const equal = honest.map((one) => ({ ...one, reward: 0.5 }));
  expect(rewardStep(parameters, equal, evolution, UNBOUNDED)).toMatchObject({
    parameters: new Map(),
    weights: new Map(),
    hasFewSenders: false,
  });
  const earlier = honest.map((one, i) => ({
    ...one,
    assignmentId: `earlier ${i}`,
    perturbation: { ...one.perturbation, scale: 0.5 },
  }));
  const left = ofNewestScale([...earlier, ...honest]);
  const { metrics } = rewardStep(parameters, left, evolution, UNBOUNDED);
  expect(metrics["rewards"]).toBe(40);
});

test("shuffled weights are the same weights on other perturbations", () => {
  const plain = rewardStep(parameters, honest, evolution, UNBOUNDED);
  const control = rewardStep(parameters, honest, evolution, {
    ...UNBOUNDED,
    shuffle: (weights) => shuffled(weights, seededRandom(1)),
  });
  const sorted = (weights: ReadonlyMap<string, number>) =>
    [...weights.values()].toSorted((a, b) => a - b);
  expect(sorted(control.weights)).toEqual(sorted(plain.weights));
  expect(control.parameters).not.toEqual(plain.parameters);
});

test("the bound on networks leaves rewards without a network as they are", () => {
  const step = (rewards: readonly PageReward[]) =>
    rewardStep(parameters, rewards, evolution, {
      ...UNBOUNDED,
      shares: { ...UNBOUNDED.shares, network: 0.01 },
    }).weights;
  const plain = rewardStep(parameters, honest, evolution, UNBOUNDED).weights;
  expect(step(honest.map((one) => ({ ...one, network: undefined })))).toEqual(plain);
  const shared = honest.map((one, i) => ({ ...one, network: i < 20 ? "shared" : `network ${i}` }));
  expect(step(shared)).not.toEqual(plain);
});
