/** Bounds on senders in steps whose losses have no advantages. */
import { constantRate } from "@waggle/learning";
import type { TokenDerivatives, TrainBatch, TrainEngine } from "@waggle/protocol";
import { expect, test } from "vitest";
import { rejection, wantedId } from "../check/edited-answer.ts";
import { type LearnableTrajectory, learnableTrajectory } from "../check/learnable-group.ts";
import { learnFrom, randomTrajectory, tinyEngine } from "../edge-training/training.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { withBoundedGradients } from "./bounded-gradients.ts";
import type { LearningStepOptions } from "./learning-step.ts";
import { UNBOUNDED } from "./sender-influence.ts";

const OPTIONS: LearningStepOptions = {
  step: 0,
  band: 0.1,
  microbatchTokens: 4096,
  shuffleAdvantages: null,
};
const recipeOf = (name: string) => edgeRecipeNamed(name, { learningRate: constantRate(0.01) });

/** Requests with a thumb each; visitor 0 has half of them. */
const THUMBS = Array.from({ length: 16 }, (_, i) => {
  const verification = {
    reward: i % 3 === 0 ? 0 : 1,
    success: i % 3 !== 0,
    parts: { thumb: "up" },
  };
  const one = learnableTrajectory(`${i}`, randomTrajectory(i), verification);
  return { ...one, visitorId: i % 2 === 0 ? "0" : `${i}` };
});

/** The same number of pairs. */
const PAIRS = THUMBS.map(({ trajectory, ...rest }, i) => {
  const verdict = { reward: 1, success: true, parts: { edit: "x" } };
  const chosen = learnableTrajectory(`${i}`, randomTrajectory(100 + i), verdict);
  const rejected = learnableTrajectory(`${i}`, trajectory.record, rejection(verdict));
  const id = wantedId(`${i}`);
  return [
    { ...rest, trajectory: { ...chosen.trajectory, id } },
    { ...rest, trajectory: rejected.trajectory },
  ];
});

type Learned = {
  /** By first token of the sequence and its length: the derivatives that reached the engine. */
  readonly slopes: readonly (readonly number[])[];
  readonly metrics: { readonly [name: string]: number };
  readonly influence: { readonly [visitor: string]: number };
};

async function learned(
  name: string,
  groups: readonly (readonly LearnableTrajectory[])[],
  options: Partial<LearningStepOptions> = {},
): Promise<Learned> {
  const [engine, base] = [await tinyEngine(), await tinyEngine()];
  const slopes: (readonly number[])[] = [];
  const spied: TrainEngine = {
    ...engine,
    capabilities: () => engine.capabilities(),
    forward: (batch) => engine.forward(batch),
    backward: (batch: TrainBatch, derivatives: TokenDerivatives) => {
      slopes.push(...(derivatives.logProb ?? []).map((row) => [...row]));
      return engine.backward(batch, derivatives);
    },
    optimStep: (step) => engine.optimStep(step),
    parameters: () => engine.parameters(),
  };
  const { metrics, influence } = await learnFrom(
    spied,
    recipeOf(name),
    groups.map((trajectories, i) => ({ task: `${i}`, trajectories })),
    {
      ...OPTIONS,
      ...options,
      reference: async (sequences) => [...(await base.forward({ sequences })).logProb],
    },
  );
  await engine.dispose();
  await base.dispose();
  return { slopes, metrics, influence: influence?.visitor ?? {} };
}

test.each([
  ["thumbs-kto", THUMBS.map((one) => [one])],
  ["signals-kto", THUMBS.map((one) => [one])],
  ["corrections-dpo", PAIRS],
] as const)(
  "%s: no visitor exceeds the cap on its share of a step's gradient",
  async (name, groups) => {
    const free = await learned(name, groups, { shares: UNBOUNDED });
    expect(free.metrics["visitors"]).toBe(9);
    expect(free.metrics["visitorShareMax"]).toBeGreaterThan(0.35);
    expect(free.metrics["influenceScaleMin"]).toBe(1);
    const bounded = await learned(name, groups, { shares: { ...UNBOUNDED, visitor: 0.25 } });
    expect(bounded.metrics["visitorShareMax"]).toBeCloseTo(0.25, 6);
    const scale = bounded.metrics["influenceScaleMin"] ?? 1;
    expect(scale).toBeLessThan(0.7);
    const sides = groups[0]?.length ?? 1;
    for (const [row, slopes] of bounded.slopes.entries()) {
      const isFlood = Math.floor(row / sides) % 2 === 0;
      for (const [t, slope] of slopes.entries()) {
        const before = free.slopes[row]?.[t] ?? Number.NaN;
        expect(slope).toBeCloseTo((isFlood ? scale : 1) * before, 7);
      }
    }
    const masses = Object.values(bounded.influence);
    expect(masses).toHaveLength(9);
    expect(Math.max(...masses) / masses.reduce((a, b) => a + b, 0)).toBeCloseTo(0.25, 6);
  },
);

test("a reputation scales a visitor's gradient, and earlier steps count", async () => {
  const half = THUMBS.map((one, i) => [
    { ...one, visitorId: `${i}`, reputation: i === 0 ? 0.5 : 1 },
  ]);
  const plain = await learned(
    "thumbs-kto",
    THUMBS.map((one, i) => [{ ...one, visitorId: `${i}` }]),
  );
  const { slopes, metrics, influence } = await learned("thumbs-kto", half);
  expect(metrics["reputationMin"]).toBe(0.5);
  expect(slopes[0]?.at(-1)).toBeCloseTo(0.5 * (plain.slopes[0]?.at(-1) ?? Number.NaN), 7);
  expect(slopes[1]).toEqual(plain.slopes[1]);
  const [name = ""] = Object.keys(influence);
  const heavy = { visitor: { [name]: 100 }, network: {}, siteKey: {} };
  const later = await learned("thumbs-kto", half, {
    shares: { ...UNBOUNDED, visitor: 0.2 },
    earlier: [{ visitor: influence, network: {}, siteKey: {} }, heavy],
  });
  expect(later.slopes[0]?.every((slope) => slope === 0)).toBe(true);
  expect(later.slopes[1]).toEqual(slopes[1]);
});

test("one visitor alone among others without a signal decides nothing", async () => {
  const engine = await tinyEngine();
  const mine = THUMBS.map((one) => [{ ...one, visitorId: "0" }]);
  const present = { visitor: new Set(["0", "1", "2", "3"]), network: new Set<string>() };
  const { hasFewSenders } = await learnFrom(
    engine,
    recipeOf("thumbs-kto"),
    mine.map((trajectories, i) => ({ task: `${i}`, trajectories })),
    {
      ...OPTIONS,
      shares: { ...UNBOUNDED, visitor: 0.1 },
      present,
      reference: async (sequences) => [...(await engine.forward({ sequences })).logProb],
    },
  );
  expect(hasFewSenders).toBe(true);
  await engine.dispose();
});

test("a backward pass of sequences that the engine has not read is refused", async () => {
  const engine = await tinyEngine();
  const bounds = { shares: UNBOUNDED, present: undefined, earlier: [] };
  const { engine: bounded } = withBoundedGradients(engine, THUMBS, bounds);
  const sequences = [{ tokenIds: [1, 2] }];
  await expect(
    bounded.backward({ sequences }, { logProb: [new Float32Array(2)] }),
  ).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await engine.dispose();
});
