/**
 * The loss of an exported batch, computed from the file in plain loops, equals ours. The loops use
 * only the file, the engine's log-probs of its tokens and the formulas of the papers.
 */
import { type Conversation, isRefusal, readTrlRow, toSupervisedSample } from "@waggle/exchange";
import { planMinibatch, rewardGroups, supervisedLoss, toTokenDerivatives } from "@waggle/learning";
import { dpoLoss } from "../../../packages/learning/src/losses/preference/dpo.ts";
import { ktoLoss } from "../../../packages/learning/src/losses/preference/kto.ts";
import {
  toTrainingSamples,
  type TrainEngine,
  type TrainingSample,
  type TrajectoryDetail,
} from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BaseModel } from "../model/base-model.ts";
import { type EdgeRecipe, edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { learnableTrajectory } from "../check/learnable-group.ts";
import { partContext } from "../recipes/part-context.ts";
import { openEngine } from "../model/open-model.ts";
import type { ExportFormat } from "./export-options.ts";
import { exportRecords } from "./export-records.ts";
import {
  type ArrayRow,
  mean,
  readAtifRows,
  readPrimeRlRows,
  readVerlRows,
} from "./exported-rows.fixture.ts";
import { importRows } from "./import-rows.ts";
import { describeTask, nanoRecords } from "./nano-records.fixture.ts";

let model: BaseModel;
let records: TrajectoryDetail[];
let samples: { record: TrajectoryDetail; sample: TrainingSample }[];
let engine: TrainEngine;
/**
 * Log-probs of any tokens at the start of the update and after one of its steps; neither is the
 * sampling policy.
 */
let proximal: (rows: readonly (readonly number[])[]) => Promise<number[][]>;
let policy: typeof proximal;

beforeAll(async () => {
  ({ model, records } = await nanoRecords(5, 4));
  samples = records.flatMap((record) =>
    toTrainingSamples(record.trajectory).map((sample) => ({ record, sample })),
  );
  engine = await openEngine(model, "cpu", { rank: 4, alpha: 8, seed: 1 }, { threads: 1 });
  proximal = await scorerAfterStep((t) => t % 2 === 0, 0.01);
  policy = await scorerAfterStep((t) => t % 3 === 0, 0.1);
});
afterAll(() => engine.dispose());

/**
 * Changes the policy so that some tokens become likelier and others less likely, and returns its
 * scorer.
 */
async function scorerAfterStep(
  loses: (t: number) => boolean,
  learningRate: number,
): Promise<typeof proximal> {
  const sequences = samples.map(({ sample }) => sample.sequence);
  const derivatives = sequences.map(({ tokenIds }) =>
    Float32Array.from(tokenIds, (_, t) => (loses(t) ? 1 : -1)),
  );
  await engine.backward({ sequences }, { logProb: derivatives });
  await engine.optimStep({ learningRate });
  const checkpoint = await engine.save();
  return async (rows) => {
    await engine.load(checkpoint);
    const { logProb } = await engine.forward({
      sequences: rows.map((tokenIds) => ({ tokenIds })),
    });
    return logProb.map((row) => [...row]);
  };
}

async function filesOf(format: ExportFormat, recipe: EdgeRecipe, asTokens = false) {
  const { files } = await exportRecords(
    records,
    { format: model.format, describeTask },
    {
      format,
      recipe,
      asTokens,
      includesFailures: false,
      firstTurnOnly: false,
      keepsRestricted: false,
    },
  );
  return files.map(({ content }) =>
    content instanceof Uint8Array ? content : new TextEncoder().encode([...content].join("")),
  );
}

async function contentOf(format: ExportFormat, recipe: EdgeRecipe, asTokens = false) {
  return (await filesOf(format, recipe, asTokens))[0] ?? new Uint8Array();
}

async function documentsOf(format: ExportFormat): Promise<unknown[]> {
  const files = await filesOf(format, edgeRecipeNamed("grpo"));
  return files.map((bytes) => JSON.parse(new TextDecoder().decode(bytes)) as unknown);
}

async function linesOf(format: ExportFormat, asTokens = false): Promise<unknown[]> {
  const text = new TextDecoder().decode(await contentOf(format, edgeRecipeNamed("grpo"), asTokens));
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

/** The recipe's loss of the same records in memory. */
async function ourLoss({ stage }: EdgeRecipe): Promise<number> {
  const groups = [...Map.groupBy(records, ({ row }) => row.groupId)].map(([task, group]) => ({
    task: task ?? "",
    trajectories: group.map(({ row, trajectory }) => {
      const verification = { reward: row.reward ?? Number.NaN, success: false, parts: {} };
      return learnableTrajectory(row.digest, trajectory, verification).trajectory;
    }),
  }));
  const context = partContext(stage, 0);
  const rewarded = await rewardGroups({ ...stage, filters: [] }, groups, context);
  const planned = planMinibatch(
    rewarded.groups,
    stage.aggregation,
    stage.advantage?.estimate(rewarded.groups, context),
  );
  const tokens = planned.rows.map(({ sample }) => sample.sequence.tokenIds);
  const minibatch = {
    ...planned,
    policyLogProbs: await policy(tokens),
    proximalLogProbs: await proximal(tokens),
  };
  return stage.losses.reduce(
    (sum, { loss, weight }) => sum + weight * loss.compute(minibatch, context).loss,
    0,
  );
}

type PlainOptions = { readonly lower: number; readonly upper: number; readonly cap: number };

/** Σ w·max(−A·r, −A·clip(r)) / N with r = π / π_proximal and w = min(π_proximal / π_behavior, cap). */
async function plainLoss(
  rows: readonly ArrayRow[],
  { lower, upper, cap }: PlainOptions,
): Promise<number> {
  const now = await policy(rows.map(({ ids }) => ids));
  const old = await proximal(rows.map(({ ids }) => ids));
  let sum = 0;
  let count = 0;
  for (let b = 0; b < rows.length; b += 1) {
    const { mask, behavior, advantage } = rows[b] as ArrayRow;
    for (let t = 0; t < mask.length; t += 1) {
      if (!mask[t]) continue;
      const ratio = Math.exp((now[b]?.[t] as number) - (old[b]?.[t] as number));
      const weight = Math.min(Math.exp((old[b]?.[t] as number) - (behavior[t] as number)), cap);
      const A = advantage[t] as number;
      const clipped = Math.min(Math.max(ratio, lower), upper);
      sum += (cap === 0 ? 1 : weight) * Math.max(-A * ratio, -A * clipped);
      count += 1;
    }
  }
  return sum / count;
}

const GRPO: PlainOptions = { lower: 0.8, upper: 1.2, cap: 0 };
const DR_GRPO_TIS: PlainOptions = { lower: 0.8, upper: 1.28, cap: 2 };

const verlRows = async (isScaled: boolean): Promise<ArrayRow[]> =>
  readVerlRows(await contentOf("verl", edgeRecipeNamed("grpo")), isScaled);
const primeRlRows = async (recipe: EdgeRecipe): Promise<ArrayRow[]> =>
  readPrimeRlRows(await contentOf("prime-rl", recipe));

test("the batch is informative: groups with a signal, clipped ratios, effective weights", async () => {
  const rewards = new Set(records.map(({ row }) => row.reward));
  expect(rewards.size).toBeGreaterThan(1);
  const rows = await verlRows(true);
  const unclipped = { lower: 0, upper: Infinity, cap: 0 };
  expect(await plainLoss(rows, unclipped)).not.toBeCloseTo(await plainLoss(rows, GRPO), 4);
  const unweighted = { ...DR_GRPO_TIS, cap: 0 };
  expect(await plainLoss(rows, unweighted)).not.toBeCloseTo(await plainLoss(rows, DR_GRPO_TIS), 4);
});

test("GRPO from verl's Parquet equals ours to 1e-6", async () => {
  expect(
    Math.abs(
      (await plainLoss(await verlRows(true), GRPO)) - (await ourLoss(edgeRecipeNamed("grpo"))),
    ),
  ).toBeLessThan(1e-6);
});

test("Dr. GRPO with truncated weights from verl's Parquet equals ours to 1e-6", async () => {
  const plain = await plainLoss(await verlRows(false), DR_GRPO_TIS);
  expect(Math.abs(plain - (await ourLoss(edgeRecipeNamed("dr-grpo-tis"))))).toBeLessThan(1e-6);
});

test("both losses from prime-rl's samples, whose advantages are in the file, equal ours to 1e-6", async () => {
  const scaled = await plainLoss(await primeRlRows(edgeRecipeNamed("grpo")), GRPO);
  expect(Math.abs(scaled - (await ourLoss(edgeRecipeNamed("grpo"))))).toBeLessThan(1e-6);
  const weighted = await plainLoss(await primeRlRows(edgeRecipeNamed("dr-grpo-tis")), DR_GRPO_TIS);
  expect(Math.abs(weighted - (await ourLoss(edgeRecipeNamed("dr-grpo-tis"))))).toBeLessThan(1e-6);
});

test("both losses from ATIF's documents, with the tokens of their inferences, equal ours to 1e-6", async () => {
  const documents = await documentsOf("atif");
  expect(documents).toHaveLength(records.length);
  const grpo = await plainLoss(readAtifRows(documents, true), GRPO);
  expect(Math.abs(grpo - (await ourLoss(edgeRecipeNamed("grpo"))))).toBeLessThan(1e-6);
  const rows = readAtifRows(documents, false);
  const ours = await ourLoss(edgeRecipeNamed("dr-grpo-tis"));
  expect(Math.abs((await plainLoss(rows, DR_GRPO_TIS)) - ours)).toBeLessThan(1e-6);
  // Control: with every token treated as sampled, the loss differs.
  const everything = rows.map((row) => ({ ...row, mask: row.mask.map((_, t) => t > 0) }));
  expect(Math.abs((await plainLoss(everything, DR_GRPO_TIS)) - ours)).toBeGreaterThan(1e-3);
});

test("a file with log-probs or rewards out of order has another loss, so the comparison can fail", async () => {
  const rows = await verlRows(false);
  const ours = await ourLoss(edgeRecipeNamed("dr-grpo-tis"));
  const swapped = rows.map((row, b) => ({
    ...row,
    advantage: row.ids.map(() => rows[(b + 1) % rows.length]?.advantage[0] as number),
  }));
  expect(Math.abs((await plainLoss(swapped, DR_GRPO_TIS)) - ours)).toBeGreaterThan(1e-3);
  const shifted = rows.map((row) => ({ ...row, behavior: [...row.behavior.slice(1), 0] }));
  expect(Math.abs((await plainLoss(shifted, DR_GRPO_TIS)) - ours)).toBeGreaterThan(1e-3);
});

/** Σ −log π over targets / their number, in plain loops. */
async function plainCrossEntropy(
  rows: readonly { readonly ids: readonly number[]; readonly isTarget: readonly boolean[] }[],
): Promise<number> {
  const logProbs = await policy(rows.map(({ ids }) => ids));
  let sum = 0;
  let count = 0;
  for (let b = 0; b < rows.length; b += 1) {
    for (let t = 0; t < (rows[b]?.ids.length ?? 0); t += 1) {
      if (!rows[b]?.isTarget[t]) continue;
      sum -= logProbs[b]?.[t] as number;
      count += 1;
    }
  }
  return sum / count;
}

const successes = () => samples.filter(({ record }) => record.row.success === true);

async function ourSupervisedLoss(): Promise<number> {
  const wanted = successes().map(({ sample }) => sample);
  return supervisedLoss({
    lossMask: wanted.map(({ lossMask }) => lossMask),
    policyLogProbs: await policy(wanted.map(({ sequence }) => sequence.tokenIds)),
  }).loss;
}

function toPlain(conversation: Conversation) {
  const { sequence, lossMask } = toSupervisedSample(conversation, model.format);
  return { ids: sequence.tokenIds, isTarget: lossMask };
}

test("the supervised loss from TRL's rows of tokens equals ours to 1e-6", async () => {
  const rows = (await linesOf("trl-sft", true)) as { input_ids: number[]; labels: number[] }[];
  const plain = await plainCrossEntropy(
    rows.map(({ input_ids, labels }) => ({
      ids: input_ids,
      isTarget: labels.map((label) => label !== -100),
    })),
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(Math.abs(plain - (await ourSupervisedLoss()))).toBeLessThan(1e-6);
});

test.each([
  ["TRL's messages", "trl-sft", "trl"],
  ["ADP", "adp", "adp"],
] as const)(
  "the supervised loss of an imported file equals ours to 1e-6: %s",
  async (_, exported, imported) => {
    const lines = (await linesOf(exported)).map((value, i) => ({ line: i + 1, value }));
    const { conversations, refused } = importRows(lines, imported);
    expect(refused).toEqual({});
    const wanted = new Set(successes().map(({ record }) => record.trajectory.id));
    const plain = await plainCrossEntropy(
      conversations.filter(({ id }) => wanted.has(id)).map(toPlain),
    );
    expect(Math.abs(plain - (await ourSupervisedLoss()))).toBeLessThan(1e-6);
  },
);

/** Σ over sampled tokens of log π − log π_ref, per row of tokens. */
async function logRatios(
  rows: readonly { readonly ids: readonly number[]; readonly isTarget: readonly boolean[] }[],
): Promise<number[]> {
  const now = await policy(rows.map(({ ids }) => ids));
  const reference = await proximal(rows.map(({ ids }) => ids));
  return rows.map(({ isTarget }, b) => {
    let sum = 0;
    for (let t = 0; t < isTarget.length; t += 1) {
      if (isTarget[t]) sum += (now[b]?.[t] as number) - (reference[b]?.[t] as number);
    }
    return sum;
  });
}

const BETA = 0.1;
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** Recorded tokens with the log-probs of both policies: one row per sample. */
async function recordedRows() {
  const tokens = samples.map(({ sample }) => sample.sequence.tokenIds);
  return {
    lossMask: samples.map(({ sample }) => sample.lossMask),
    policyLogProbs: await policy(tokens),
    referenceLogProbs: await proximal(tokens),
  };
}

/** The rows of a recorded trajectory. */
function segmentsOf(id: string): { readonly row: number }[] {
  return samples.flatMap(({ record }, row) => (record.trajectory.id === id ? [{ row }] : []));
}

function conversationsOf(rows: readonly unknown[]): Conversation[] {
  return rows.flatMap((row, i) => {
    const read = readTrlRow(row, `line-${i}`);
    if (isRefusal(read)) throw new Error(read.refused);
    return read;
  });
}

test("the DPO loss of the file's pairs equals that of the recorded tokens to 1e-6", async () => {
  const rows = (await linesOf("trl-dpo")) as { id: string }[];
  expect(rows.length).toBeGreaterThan(1);
  const ratios = await logRatios(conversationsOf(rows).map(toPlain));
  const margins = rows.map((_, i) => (ratios[2 * i] as number) - (ratios[2 * i + 1] as number));
  const fromFile = mean(margins.map((margin) => -Math.log(sigmoid(BETA * margin))));
  const pairs = rows.map(({ id }) => {
    const [better = "", worse = ""] = id.split("/");
    return { chosen: segmentsOf(better), rejected: segmentsOf(worse) };
  });
  const recorded = await recordedRows();
  const ours = dpoLoss({ ...recorded, pairs }, { beta: BETA }).loss;
  expect(Math.abs(fromFile - ours)).toBeLessThan(1e-6);
  expect(Math.abs(ours - Math.LN2)).toBeGreaterThan(1e-4);
  // Control: with chosen and rejected exchanged, the loss differs.
  const turned = pairs.map(({ chosen, rejected }) => ({ chosen: rejected, rejected: chosen }));
  const wrong = dpoLoss({ ...recorded, pairs: turned }, { beta: BETA }).loss;
  expect(Math.abs(fromFile - wrong)).toBeGreaterThan(1e-4);
});

test("the KTO loss of the file's rows equals that of the recorded tokens to 1e-6", async () => {
  const rows = (await linesOf("trl-kto")) as { label: boolean }[];
  expect(rows).toHaveLength(records.length);
  const ratios = await logRatios(conversationsOf(rows).map(toPlain));
  // max(0, mean ratio) replaces the divergence of mismatched pairs in both computations.
  const divergence = Math.max(0, mean(ratios));
  const gains = ratios.map((ratio, i) => (rows[i]?.label ? 1 : -1) * (ratio - divergence));
  const fromFile = mean(gains.map((gain) => 1 - sigmoid(BETA * gain)));
  const recorded = await recordedRows();
  const oursWith = (isDesirable: (record: TrajectoryDetail) => boolean): number => {
    const answers = records.map((record) => ({
      segments: segmentsOf(record.trajectory.id),
      isDesirable: isDesirable(record),
    }));
    return ktoLoss({ ...recorded, answers }, { beta: BETA, divergence }).loss;
  };
  expect(Math.abs(fromFile - oursWith(({ row }) => row.success === true))).toBeLessThan(1e-6);
  expect(Math.abs(fromFile - oursWith(({ row }) => row.success !== true))).toBeGreaterThan(1e-4);
});

test("imitation steps on written conversations raise their likelihood", async () => {
  const theirs = {
    messages: [
      { role: "user", content: "Who are you?" },
      { role: "assistant", content: "A shop's assistant. Ask me for anything!" },
    ],
  };
  const { conversations } = importRows([{ line: 1, value: theirs }], "openai");
  const batch = conversations.map(toPlain);
  const sequences = batch.map(({ ids }) => ({ tokenIds: ids }));
  const lossMask = batch.map(({ isTarget }) => isTarget);
  const losses: number[] = [];
  for (let step = 0; step < 8; step += 1) {
    const { logProb } = await engine.forward({ sequences });
    const { loss, derivatives } = supervisedLoss({ lossMask, policyLogProbs: logProb });
    losses.push(loss);
    await engine.backward({ sequences }, toTokenDerivatives(derivatives));
    await engine.optimStep({ learningRate: 5e-3 });
  }
  expect(losses.at(-1)).toBeLessThan(0.8 * (losses[0] as number));
});
