/**
 * The engines of every recipe open over one base model, and missing capabilities are refused by
 * name.
 */
import { type Recipe, recipeNamed, RECIPES } from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { type Adapter, initializeAdapter } from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import type { BaseModel } from "../model/base-model.ts";
import { TINY, TINY_BASE, tinyWeights } from "../edge-training/training.fixture.ts";
import { openRecipeEngines } from "./recipe-engines.ts";

/** The capabilities that engines read from a model on disk. */
const MODEL = {
  config: TINY,
  weights: tinyWeights(),
  reference: { sha256: TINY_BASE },
  files: [],
} as unknown as BaseModel;

const open = (recipe: Recipe, teacher: Adapter | null = null) =>
  openRecipeEngines(recipe, MODEL, "cpu", { rank: 1, alpha: 1, seed: 1 }, { threads: 1, teacher });

test("the engines of every recipe open", async () => {
  const derivatives = new Map<string, readonly string[]>();
  for (const [name, create] of RECIPES) {
    const { engine, dispose } = await open(create());
    derivatives.set(name, engine.capabilities().derivatives);
    await dispose();
  }
  expect(derivatives.size).toBe(RECIPES.size);
}, 30_000);

test("a critic loss without a critic is refused", async () => {
  const { stages, ...grpo } = recipeNamed("grpo")();
  const losses = stages.flatMap((stage) => stage.losses);
  const needy = losses.map(({ loss, weight }) => ({
    loss: { ...loss, derivatives: ["values" as const] },
    weight,
  }));
  const recipe = { ...grpo, stages: stages.map((stage) => ({ ...stage, losses: needy })) };
  await expect(open(recipe)).rejects.toThrow(/grpo.*derivatives of values/);
});

test("a teacher is an adapter over the same base, and a recipe with a teacher is refused without one", async () => {
  const { stages, ...grpo } = recipeNamed("grpo")();
  const state = { teacher: parts.teacher };
  const recipe = { ...grpo, stages: stages.map((stage) => ({ ...stage, state })) };
  await expect(open(recipe)).rejects.toThrow(/grpo needs a teacher.*--teacher/);
  const teacher = initializeAdapter(TINY, { rank: 2, alpha: 4, seed: 3 });
  const tensors = new Map(
    Array.from(teacher.tensors, ([name, { shape, data }]) => [
      name,
      { shape, data: data.map((value, i) => value + 0.1 * Math.sin(i)) },
    ]),
  );
  const sequences = [{ tokenIds: [1, 2, 3] }];
  const { engine, resources, dispose } = await open(recipe, { ...teacher, tensors });
  const says = (await resources.teacher?.(sequences)) ?? [];
  const before = (await engine.forward({ sequences })).logProb;
  expect(says[0]?.[1]).not.toBeCloseTo(before[0]?.[1] ?? 0, 4);
  const all = TINY.vocabularySize;
  const likely = await resources.teacherCandidates?.(sequences, [[false, true, true]], all);
  const at = likely?.tokenIds[0]?.[1]?.indexOf(2) ?? -1;
  expect(likely?.logProbs[0]?.[1]?.[at]).toBeCloseTo(says[0]?.[1] ?? 0, 5);
  expect(likely?.tokenIds[0]?.map((ids) => ids?.length)).toEqual([undefined, all, all]);
  await dispose();
});

test("a new critic predicts 0", async () => {
  const { engine, dispose } = await open(recipeNamed("rl4vlm")());
  const { values } = await engine.forward({ sequences: [{ tokenIds: [1, 2, 3] }], values: true });
  expect(values?.map((row) => [...row])).toEqual([[0, 0, 0]]);
  await dispose();
});

test("microbatches limit the tokens of a forward pass, and the outputs stay the same", async () => {
  const grpo = recipeNamed("grpo")();
  const plain = await open(grpo);
  const decoder = Object.getPrototypeOf(plain.engine) as TrainEngine;
  await plain.dispose();
  const shape = { rank: 1, alpha: 1, seed: 1 };
  const passes = async (microbatchTokens?: number) => {
    const more = { threads: 1, microbatchTokens };
    const { engine, dispose } = await openRecipeEngines(grpo, MODEL, "cpu", shape, more);
    const forward = vi.spyOn(decoder, "forward");
    const { logProb } = await engine.forward({
      sequences: [{ tokenIds: [1, 2] }, { tokenIds: [3, 4] }, { tokenIds: [5, 6, 7] }],
    });
    const sizes = forward.mock.calls.map(([batch]) => batch.sequences.length);
    forward.mockRestore();
    await dispose();
    return { sizes, logProbs: logProb.flatMap((row) => [...row]) };
  };
  const whole = await passes();
  expect(whole.sizes).toEqual([3]);
  const parts = await passes(4);
  expect(parts.sizes).toEqual([2, 1]);
  parts.logProbs.forEach((value, i) => expect(value).toBeCloseTo(whole.logProbs[i] ?? 0, 5));
});
