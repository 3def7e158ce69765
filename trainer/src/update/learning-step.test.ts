import { constantRate } from "@waggle/learning";
import { FULL_SUPPORT, type SampledSegment, type Trajectory } from "@waggle/protocol";
import { createNodePolicy } from "@waggle/runtime/node";
import { expect, test } from "vitest";
import { type EdgeSettings, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { type LearnableGroup, learnableTrajectory } from "../check/learnable-group.ts";
import type { LearningStepOptions } from "./learning-step.ts";
import type { StepInfluence } from "../checkpoint/step-influence.ts";
import { nextInfluence, UNBOUNDED } from "./sender-influence.ts";
import { seededRandom } from "@waggle/protocol";
import {
  learnFrom,
  randomTrajectory,
  TINY,
  TINY_ADAPTER,
  TINY_BASE,
  tinyEngine,
  tinyWeights,
} from "../edge-training/training.fixture.ts";

const OPTIONS: LearningStepOptions = {
  step: 0,
  band: 0.1,
  microbatchTokens: 4096,
  shuffleAdvantages: null,
};

function groupsOf(count: number, size: number): LearnableGroup[] {
  return Array.from({ length: count }, (_, g) => ({
    task: `task ${g}`,
    trajectories: Array.from({ length: size }, (_unused, i) => {
      const trajectory = randomTrajectory(10 * g + i);
      const verification = { reward: i % 2, success: i % 2 === 1, parts: {} };
      return learnableTrajectory(trajectory.id, trajectory, verification, g);
    }),
  }));
}

const grpo = (settings: EdgeSettings = {}) => edgeRecipeNamed("grpo", settings);
const drGrpoTis = (settings: EdgeSettings = {}) => edgeRecipeNamed("dr-grpo-tis", settings);

async function parametersAfter(
  options: Partial<LearningStepOptions>,
  groups: readonly LearnableGroup[],
): Promise<number[]> {
  const engine = await tinyEngine();
  await learnFrom(engine, drGrpoTis({ learningRate: constantRate(0.01) }), groups, {
    ...OPTIONS,
    ...options,
  });
  const parameters = await engine.parameters();
  await engine.dispose();
  return [...parameters.values()].flatMap(({ data }) => Array.from(data));
}

test("the size of the microbatches does not change the step", async () => {
  const groups = groupsOf(3, 4);
  const whole = await parametersAfter({}, groups);
  const single = await parametersAfter({ microbatchTokens: 1 }, groups);
  const largest = Math.max(...whole.map((value, i) => Math.abs(value - (single[i] ?? Infinity))));
  // AdamW's first step is the sign of the gradient, so only gradients near 0 could differ.
  expect(largest).toBeLessThan(1e-4);
});

test("recorded log-probs below the band are clamped to it", async () => {
  const groups = groupsOf(1, 2);
  const lowered = groups.map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((trajectory) => ({
      ...trajectory,
      trajectory: {
        ...trajectory.trajectory,
        samples: trajectory.trajectory.samples.map((sample) => ({
          ...sample,
          behaviorLogProbs: sample.behaviorLogProbs.map((value) => value - 5),
        })),
      },
    })),
  }));
  const engine = await tinyEngine();
  const recipe = drGrpoTis({ learningRate: constantRate(0) });
  const honest = await learnFrom(engine, recipe, groups, OPTIONS);
  const forged = await learnFrom(engine, recipe, lowered, OPTIONS);
  const gain =
    (forged.metrics["importanceWeightMean"] ?? 0) / (honest.metrics["importanceWeightMean"] ?? 1);
  expect(gain).toBeCloseTo(Math.exp(0.1), 4);
  await engine.dispose();
});

test("the first epoch has ratio 1 and no clipping; a second epoch moves the ratio", async () => {
  const groups = groupsOf(2, 4);
  const engine = await tinyEngine();
  const rate = { learningRate: constantRate(0.05) };
  const once = await learnFrom(engine, grpo(rate), groups, OPTIONS);
  expect(once.metrics["importanceRatioMean"]).toBeCloseTo(1, 6);
  expect(once.metrics["clipFraction"]).toBe(0);
  const twice = await learnFrom(engine, grpo({ ...rate, epochs: 2 }), groups, OPTIONS);
  expect(twice.metrics["proximalKl"]).toBeGreaterThan(1e-6);
  await engine.dispose();
});

test("advantages are relative to the group and are reported", async () => {
  const engine = await tinyEngine();
  const groups = groupsOf(2, 4);
  const { advantages, metrics } = await learnFrom(engine, drGrpoTis(), groups, OPTIONS);
  expect([...advantages.values()]).toEqual([-0.5, 0.5, -0.5, 0.5, -0.5, 0.5, -0.5, 0.5]);
  expect(metrics).toMatchObject({
    trajectories: 8,
    groups: 2,
    tokens: 32,
    trainedTokens: 72,
    rewardMean: 0.5,
    successRate: 0.5,
    stalenessMean: 0.5,
    stalenessMax: 1,
    logProbGapMax: 0,
  });
  await engine.dispose();
});

test("no visitor exceeds the cap on its share of a step's gradient mass", async () => {
  const engine = await tinyEngine();
  // Visitor 0 has half of the rollouts; every other visitor has one.
  const groups = groupsOf(4, 4).map(({ task, trajectories }, g) => ({
    task,
    trajectories: trajectories.map((trajectory, i) => ({
      ...trajectory,
      visitorId: i < 2 ? "0" : `${4 * g + i}`,
    })),
  }));
  const recipe = drGrpoTis();
  const learned = (visitor: number) =>
    learnFrom(engine, recipe, groups, { ...OPTIONS, shares: { ...UNBOUNDED, visitor } });
  const free = await learned(1);
  expect(free.metrics["visitors"]).toBe(9);
  expect(free.metrics["visitorShareMax"]).toBeGreaterThan(0.4);
  expect(free.metrics["influenceScaleMin"]).toBe(1);
  const bounded = await learned(0.25);
  expect(bounded.metrics["visitorShareMax"]).toBeCloseTo(0.25, 12);
  // The other visitors keep their advantages, and signs stay.
  const [flood, , other] = [...bounded.advantages.values()];
  expect(other).toBe(-0.5);
  expect(flood).toBeLessThan(0);
  expect((flood ?? Number.NaN) / -0.5).toBeCloseTo(bounded.metrics["influenceScaleMin"] ?? 0, 12);
  expect(bounded.metrics["influenceScaleMean"]).toBeLessThan(0.8);
  await engine.dispose();
});

test("a reputation scales a visitor's rollouts, and the masses are kept under other names", async () => {
  const engine = await tinyEngine();
  const groups = groupsOf(1, 4).map(({ task, trajectories }) => ({
    task,
    trajectories: trajectories.map((trajectory, i) => ({
      ...trajectory,
      visitorId: `visitor-${i}`,
      network: "office",
      reputation: i === 0 ? 0.5 : 1,
    })),
  }));
  const { advantages, influence, metrics } = await learnFrom(engine, drGrpoTis(), groups, OPTIONS);
  // The baseline of rewards 0, 1, 0, 1 with weights 0.5, 1, 1, 1 is 4/7.
  const expected = [-4 / 14, 3 / 7, -4 / 7, 3 / 7];
  for (const [i, value] of [...advantages.values()].entries()) {
    expect(value).toBeCloseTo(expected[i] ?? Number.NaN, 12);
  }
  expect(metrics).toMatchObject({ reputationMin: 0.5, visitors: 4, networks: 1 });
  expect(Object.keys(influence?.visitor ?? {})).toHaveLength(4);
  expect(JSON.stringify(influence)).not.toContain("visitor-0");
  await engine.dispose();
});

test("a visitor who caused much before is scaled down in the next step", async () => {
  const engine = await tinyEngine();
  const groups = groupsOf(6, 4).map(({ task, trajectories }, g) => ({
    task,
    trajectories: trajectories.map((trajectory, i) => ({
      ...trajectory,
      visitorId: `${4 * g + i}`,
    })),
  }));
  const shares = { ...UNBOUNDED, visitor: 0.1 };
  const first = await learnFrom(engine, drGrpoTis(), groups, { ...OPTIONS, shares });
  expect(first.metrics["influenceScaleMin"]).toBe(1);
  const [name = ""] = Object.keys(first.influence?.visitor ?? {});
  const heavy = { visitor: { [name]: 1 }, network: {}, siteKey: {} };
  const earlier = [first.influence ?? never(), heavy];
  const second = await learnFrom(engine, drGrpoTis(), groups, { ...OPTIONS, shares, earlier });
  expect(second.metrics["influenceScaleMin"]).toBe(0);
  expect(second.metrics["visitors"]).toBe(24);
  await engine.dispose();
});

test("the window keeps the newest 20 steps", () => {
  const step = (mass: number) => ({ visitor: { a: mass }, network: {}, siteKey: {} });
  let kept: readonly StepInfluence[] = [];
  for (let i = 0; i < 25; i += 1) kept = nextInfluence(kept, step(i));
  expect(kept.map(({ visitor }) => visitor["a"])).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 5),
  );
  expect(nextInfluence(kept, undefined)).toBe(kept);
});

function never(): never {
  throw new Error("expected a step with advantages");
}

const TARGET = 7;

/** Probability of the rewarded token after training on a one-token choice. */
async function learnBandit(seed: number, isControl: boolean): Promise<number> {
  const engine = await tinyEngine();
  const policy = await createNodePolicy({
    config: TINY,
    weights: tinyWeights(),
    baseModel: TINY_BASE,
    threads: 1,
  });
  const recipe = drGrpoTis({ learningRate: constantRate(0.03) });
  const prompt = [3, 4];
  for (let step = 0; step < 25; step += 1) {
    const rollout = async (i: number): Promise<Trajectory> => {
      const one = await policy.createContext();
      one.append(prompt);
      const sampling = { ...FULL_SUPPORT, seed: 1000 * seed + 64 * step + i };
      const sample = await one.generate({ sampling, stopTokenIds: [], maxTokens: 1 });
      one.dispose();
      const segment: SampledSegment = {
        kind: "sampled",
        id: "s",
        parent: "p",
        policyVersion: policy.currentVersion,
        sampling,
        grammar: null,
        ...sample,
      };
      return {
        ...randomTrajectory(i),
        segments: [
          { kind: "given", id: "p", parent: null, role: "user", tokenIds: prompt },
          segment,
        ],
        turns: [{ segmentId: "s", toolCalls: [], toolResults: [], parseError: null }],
      };
    };
    const trajectories = [];
    for (let i = 0; i < 32; i += 1) {
      const trajectory = await rollout(i);
      const success = (trajectory.segments[1]?.tokenIds[0] as number) % 8 === TARGET;
      const verification = { reward: success ? 1 : 0, success, parts: {} };
      trajectories.push(learnableTrajectory(`${step}/${i}`, trajectory, verification));
    }
    const { metrics } = await learnFrom(engine, recipe, [{ task: "choice", trajectories }], {
      ...OPTIONS,
      step,
      shuffleAdvantages: isControl ? seededRandom(seed, step) : null,
    });
    // Sampler and trainer run different graphs of the same weights. A group with equal outcomes has no
    // signal.
    expect(metrics["policyDriftMean"] ?? 0).toBeLessThan(1e-3);
    await policy.setAdapter(step + 1, { ...TINY_ADAPTER, tensors: await engine.parameters() });
  }
  const sequences = [7, 15, 23, 31].map((tokenId) => ({ tokenIds: [...prompt, tokenId] }));
  const { logProb } = await engine.forward({ sequences });
  await engine.dispose();
  await policy.dispose();
  return logProb.reduce((sum, row) => sum + Math.exp(row[2] ?? -Infinity), 0);
}

test("a tiny policy learns a choice from its own rollouts, but not with shuffled advantages", async () => {
  for (const seed of [1, 2, 3]) {
    // Four of 32 tokens are rewarded, so chance is 0.125.
    expect(await learnBandit(seed, false)).toBeGreaterThan(0.6);
    expect(await learnBandit(seed, true)).toBeLessThan(0.4);
  }
});
