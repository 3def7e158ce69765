/**
 * Several optimizer steps in one update: epochs, minibatches, and the values that are recomputed before
 * each step.
 */
import {
  initialValues,
  type PartContext,
  rewardStage,
  type Stage,
  tokenStage,
} from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { expect, test } from "vitest";
import { partContext } from "../recipes/part-context.ts";
import { groupOf, type TableEngine, tableEngine } from "../expectations/table-engine.fixture.ts";
import { type StageUpdate, updateStage } from "./stage-update.ts";

/** Two tasks; in each, token 1 succeeds and token 2 fails. */
const GROUPS = ["one", "two"].map((task) =>
  groupOf(
    { id: `${task}/a`, tokens: [0, 1], reward: 1 },
    { id: `${task}/b`, tokens: [0, 2], reward: 0 },
  ),
);
const PLAIN = {
  rollout: parts.group(2),
  reward: parts.outcome(),
  advantage: parts.groupAdvantage({ scale: "none" }),
} as const;

function update(
  engine: TableEngine,
  stage: Stage,
  reference?: readonly number[],
): Promise<StageUpdate> {
  const context: PartContext = { ...partContext(stage, 0), state: initialValues(stage, {}) };
  const scorer = async (
    sequences: readonly { readonly tokenIds: readonly number[] }[],
  ): Promise<Float32Array[]> =>
    sequences.map(({ tokenIds }) =>
      Float32Array.from(tokenIds, (id, t) => (t === 0 ? 0 : (reference?.[id] ?? 0))),
    );
  const resources = reference === undefined ? {} : { reference: scorer };
  return updateStage(engine, stage, GROUPS, context, resources, context.signal);
}

const clipped = (settings: Partial<Stage["settings"]>): Stage =>
  rewardStage({
    ...PLAIN,
    losses: [parts.pgClip(0.2)],
    settings: { learningRate: 1, ...settings },
  });

test("one step on all groups: nothing is clipped and every ratio is 1", async () => {
  const { metrics, numbers } = await update(tableEngine([0, -1, -1]), clipped({}));
  expect(metrics["clipFraction"]).toBe(0);
  expect(metrics["importanceRatioMean"]).toBe(1);
  expect(numbers?.result.derivatives.logProb).toHaveLength(4);
});

test("with minibatches, ratios leave 1 at the second step and the clip binds", async () => {
  const engine = tableEngine([0, -1, -1]);
  const { metrics, numbers } = await update(engine, clipped({ minibatches: 2 }));
  // Each minibatch has two rows, so the first step moves log π by ±0.25: ratios e^±0.25 leave [0.8, 1.2].
  expect(engine.given.map(({ logProb = [] }) => logProb.map((row) => [...row]))).toEqual([
    [
      [0, -0.25],
      [0, 0.25],
    ],
    [
      [0, 0],
      [0, 0],
    ],
  ]);
  expect(engine.rates).toEqual([1, 1]);
  expect(metrics["clipFraction"]).toBeCloseTo(1 / 2, 6);
  const ratios = (Math.exp(0.25) + Math.exp(-0.25)) / 2;
  expect(metrics["importanceRatioMean"]).toBeCloseTo((1 + ratios) / 2, 6);
  // Concatenated by row, in the order of the minibatches.
  expect(numbers?.result.derivatives.logProb?.map((row) => row[1])).toEqual([-0.25, 0.25, 0, 0]);
});

test("each epoch repeats the minibatches, of which there are at most as many as groups", async () => {
  const engine = tableEngine([0, -1, -1]);
  await update(engine, clipped({ epochs: 2, minibatches: 9 }));
  expect(engine.rates).toEqual([1, 1, 1, 1]);
});

const judged = (form?: "kto" | "apo-zero"): Stage =>
  tokenStage({
    rollout: parts.group(2),
    reward: parts.outcome(),
    losses: [parts.kto(0.5, form)],
    state: { ref: parts.reference },
    settings: { learningRate: 0.1 },
  });

test("kto measures its divergence on mismatched pairs; apo-zero measures none", async () => {
  // Both tokens are likelier than in the reference, by 0.6 and 0.2 nats, so the mean pair is by 0.4.
  const reference = [0, -1.6, -1.2];
  const logRatios = { liked: 0.6, disliked: 0.2 };
  const slope = (x: number): number => {
    const satisfied = 1 / (1 + Math.exp(-x));
    return 0.5 * satisfied * (1 - satisfied);
  };
  for (const [form, divergence] of [
    ["kto", 0.4],
    ["apo-zero", 0],
  ] as const) {
    const engine = tableEngine([0, -1, -1]);
    const { metrics } = await update(engine, judged(form), reference);
    expect(metrics["ktoDivergence"]).toBeCloseTo(divergence, 6);
    const [liked, disliked] = engine.given[0]?.logProb ?? [];
    expect(liked?.[1]).toBeCloseTo(-slope(0.5 * (logRatios.liked - divergence)) / 4, 6);
    expect(disliked?.[1]).toBeCloseTo(slope(0.5 * (divergence - logRatios.disliked)) / 4, 6);
  }
});

test("the divergence is measured again at each step", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = judged();
  // All samples are desirable: after the first step the policy is above the reference, and so is the
  // divergence.
  const liked = { ...stage, reward: { ...parts.outcome(), rewards: always(1) } };
  const { metrics } = await update(
    engine,
    { ...liked, settings: { ...stage.settings, epochs: 2 } },
    [0, -1, -1],
  );
  expect(metrics["ktoDivergence"]).toBeGreaterThan(0);
  const once = await update(tableEngine([0, -1, -1]), liked, [0, -1, -1]);
  expect(once.metrics["ktoDivergence"]).toBe(0);
});

function always(reward: number): ReturnType<typeof parts.outcome>["rewards"] {
  return ({ trajectories }) => trajectories.map(() => ({ total: reward }));
}
