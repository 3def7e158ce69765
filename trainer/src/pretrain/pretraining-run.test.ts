import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NANO_DEMONSTRATIONS } from "@waggle/demo/environment";
import { createOnnxEngine } from "@waggle/engine";
import { initializeDecoder } from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { corpusExample, trainNanoText } from "./corpus.ts";
import type { NanoText } from "./nano-text.ts";
import { decoderConfig, LOSS_WEIGHTS, NANO } from "./pretrain-recipe.ts";
import { pretrain } from "./pretraining-run.ts";
import {
  loadPretraining,
  resumedPretraining,
  savePretraining,
} from "../checkpoint/pretraining-checkpoint.ts";
import type { PretrainingState } from "../checkpoint/pretraining-checkpoint.ts";

const START: PretrainingState = { seed: 3, totalSteps: 6, curve: [], tokens: 0, seconds: 0 };

let text: NanoText;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "waggle-pretrain-"));
  text = await trainNanoText({
    seed: 3,
    count: 60,
    vocabularySize: 500,
    contextLength: 512,
    spec: NANO_DEMONSTRATIONS,
  });
});
afterAll(() => rm(folder, { recursive: true }));

function openEngine(): Promise<TrainEngine> {
  const config = {
    ...decoderConfig(NANO, text.tokenizer.vocabularySize),
    width: 16,
    layers: 1,
    heads: 2,
    keyValueHeads: 1,
    headSize: 8,
    feedForwardSize: 16,
  };
  return createOnnxEngine({ config, weights: initializeDecoder(config, 3), trains: "full" });
}

function run(
  engine: TrainEngine,
  state: PretrainingState,
  step: number,
  signal?: AbortSignal,
  {
    lossWeights = LOSS_WEIGHTS,
    measureEvery = 2,
    contextLength = 512,
    onLeftOut = (_index: number, _tokens: number) => {},
  } = {},
) {
  const save = async (saved: PretrainingState): Promise<void> =>
    savePretraining(folder, { state: saved, engine: await engine.save() });
  return pretrain(
    {
      engine,
      text,
      spec: NANO_DEMONSTRATIONS,
      seed: state.seed,
      batchSize: 2,
      peakLearningRate: NANO.peakLearningRate,
      matrices: NANO.matrices,
      exerciseSteps: NANO.exerciseSteps,
      lossWeights,
      contextLength,
      onLeftOut,
      measureEvery,
      saveEvery: 2,
      signal: signal ?? new AbortController().signal,
      onMeasure: async () => {},
      save,
    },
    state,
    step,
  );
}

const losses = (state: PretrainingState) => state.curve.map((point) => point.assistantLoss);

test("a run that is stopped, saved and resumed ends bitwise equal to an uninterrupted one", async () => {
  const whole = await openEngine();
  const { state } = await run(whole, START, 0);

  const first = await openEngine();
  const half = await run(first, { ...START, totalSteps: 6 }, 0, stopAfter(first, 3));
  const second = await openEngine();
  const saved = await loadPretraining(folder);
  const same = { seed: saved.state.seed, steps: 6 };
  expect(await resumedPretraining(folder, same)).toEqual(saved);
  expect(await resumedPretraining(folder, { ...same, resume: false })).toBeNull();
  expect(await resumedPretraining(join(folder, "nowhere"), same)).toBeNull();
  // Another number of steps changes no more than where the run and its learning rate end.
  expect(await resumedPretraining(folder, { ...same, steps: 7 })).toEqual({
    ...saved,
    state: { ...saved.state, totalSteps: 7 },
  });
  await expect(resumedPretraining(folder, { ...same, steps: 3 })).rejects.toThrow(
    /has taken 3 steps; choose more, or start over with --no-resume/,
  );
  await expect(resumedPretraining(folder, { ...same, size: "small" })).rejects.toThrow(
    /size was undefined and is now "small"/,
  );
  const done = join(folder, "done");
  // A finished run is begun anew, unless --resume asks for it.
  await savePretraining(done, { ...saved, state: { ...saved.state, totalSteps: 3 } });
  expect(await resumedPretraining(done, { ...same, steps: 3 })).toBeNull();
  expect((await resumedPretraining(done, { ...same, resume: true }))?.engine.step).toBe(3);
  await second.load(saved.engine);
  const resumed = await run(second, saved.state, saved.engine.step);

  expect([half.step, saved.engine.step]).toEqual([3, 3]);
  expect(resumed.step).toBe(6);
  expect(await second.parameters()).toEqual(await whole.parameters());
  expect(losses(resumed.state)).toEqual(losses(state));
  await Promise.all([whole, first, second].map((engine) => engine.dispose()));
});

test("a step learns the tokens of the speakers that have a weight, by that weight", async () => {
  const { roles } = await corpusExample(NANO_DEMONSTRATIONS, text.chat, START.seed, 0);
  const weighed = async (weights: typeof LOSS_WEIGHTS) => {
    const engine = await openEngine();
    const backward = vi.spyOn(engine, "backward");
    await run(engine, { ...START, totalSteps: 1 }, 0, undefined, { lossWeights: weights });
    await engine.dispose();
    const derivatives = backward.mock.calls[0]?.[1].logProb?.[0] ?? new Float32Array();
    const least = (role: string): number =>
      Math.min(...Array.from(derivatives).filter((_, t) => roles[t] === role));
    return { assistant: least("assistant"), tool: least("tool"), user: least("user") };
  };
  const { assistant, tool, user } = await weighed({ assistant: 1, tool: 0.25 });
  expect(assistant).toBeLessThan(0);
  expect(tool / assistant).toBeCloseTo(0.25, 5);
  expect(user).toBe(0);
  expect(await weighed({ assistant: 1 })).toMatchObject({ tool: 0, user: 0 });
});

test("the loss falls", async () => {
  const engine = await openEngine();
  const { state } = await run(engine, { ...START, totalSteps: 60 }, 0, undefined, {
    measureEvery: 6,
  });
  expect(losses(state).at(-1)).toBeLessThan((losses(state)[0] as number) - 0.2);
  await engine.dispose();
});

test("an unreadable checkpoint is refused", async () => {
  await writeFile(join(folder, "state.json"), "not JSON");
  await expect(loadPretraining(folder)).rejects.toMatchObject({ code: "CHECKPOINT_CORRUPT" });
  await expect(loadPretraining(join(folder, "nowhere"))).rejects.toMatchObject({
    code: "CHECKPOINT_CORRUPT",
  });
});

/** Aborts after the given number of engine steps. */
function stopAfter(engine: TrainEngine, steps: number): AbortSignal {
  const controller = new AbortController();
  const optimStep = engine.optimStep.bind(engine);
  engine.optimStep = async (options) => {
    const result = await optimStep(options);
    if (result.step >= steps) controller.abort();
    return result;
  };
  return controller.signal;
}

test("demonstrations that do not fit into the context are left out, and the run goes on", async () => {
  const lengths = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const { tokenIds } = await corpusExample(NANO_DEMONSTRATIONS, text.chat, START.seed, index);
      return tokenIds.length;
    }),
  );
  // Steps 0 and 1 take two demonstrations each; the longer one of each step is too long.
  const [a, b, c, d] = lengths as [number, number, number, number];
  const contextLength = Math.max(Math.min(a, b), Math.min(c, d));
  const fitting = lengths.filter((length) => length <= contextLength);
  const leftOut: [number, number][] = [];
  const { state, step } = await run(await openEngine(), { ...START, totalSteps: 2 }, 0, undefined, {
    contextLength,
    measureEvery: 9,
    onLeftOut: (index, tokens) => {
      if (index < 4) leftOut.push([index, tokens]);
    },
  });
  expect(step).toBe(2);
  expect(leftOut.length).toBeGreaterThan(0);
  expect(leftOut).toEqual([...lengths.entries()].filter(([, length]) => length > contextLength));
  expect(state.tokens).toBe(fitting.reduce((sum, length) => sum + length, 0));
});

test("a run says so if no demonstration fits into the context", async () => {
  const stopped = run(await openEngine(), START, 0, undefined, { contextLength: 5 });
  await expect(stopped).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
});
