import { expect, onTestFinished, test } from "vitest";
import { QWEN3_0_6B } from "../../bench/random-decoder.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { planMemory } from "./memory-plan.ts";
import { createOnnxEngine } from "../onnx/onnx-engine.ts";
import { loudAdapter, loudWeights, TINY } from "../contract/train-engine.fixture.ts";

const CONFIG = { ...TINY, contextLength: 1024 };
const MOST_TOKENS = 512;
const NOTHING_CHOSEN = { checkpointing: false, maxMicrobatchTokens: false } as const;
const BASE = { config: CONFIG, trains: "lora", base: "f32" } as const;

function tokens(length: number, salt: number) {
  return {
    tokenIds: Array.from({ length }, (_, i) => (i * 7 + i * i * salt) % CONFIG.vocabularySize),
  };
}

function derivatives(sequences: readonly { readonly tokenIds: readonly number[] }[]) {
  return { logProb: sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length).fill(0.1)) };
}

test.each(["none", "layer"] as const)(
  "a batch that exceeds the limit is refused before any of it runs, and gradients stay, checkpointing %s",
  async (checkpointing) => {
    const adapter = loudAdapter(CONFIG);
    const plan = (length: number): number =>
      planMemory({ ...BASE, checkpointing, rank: adapter.rank, sequences: 1, length }).totalBytes;
    const open = async (memoryLimit: number) => {
      const engine = await createOnnxEngine({
        ...BASE,
        weights: loudWeights(CONFIG),
        adapter,
        checkpointing,
        memoryLimit,
        device: "cpu",
        threads: 1,
        maxMicrobatchTokens: MOST_TOKENS,
      });
      onTestFinished(() => engine.dispose());
      return engine;
    };
    const limited = await open(plan(MOST_TOKENS));
    const ample = await open(plan(700));
    const short = [tokens(20, 1), tokens(30, 2)];
    const mixed = [...short, tokens(700, 3)];

    for (const engine of [limited, ample]) {
      await engine.backward({ sequences: short }, derivatives(short));
    }
    const refusal = {
      code: "OUT_OF_MEMORY",
      message: expect.stringMatching(/for 1 × 699 tokens at once.*shorten the sequences/) as string,
    };
    const refused = limited.backward({ sequences: mixed }, derivatives(mixed));
    await expect(refused).rejects.toMatchObject(refusal);
    await expect(limited.forward({ sequences: mixed })).rejects.toMatchObject(refusal);

    // the short sequences of the refused batch added nothing, and earlier gradients are still there
    expect(await limited.gradients()).toEqual(await ample.gradients());
    for (const engine of [limited, ample]) {
      await engine.backward({ sequences: short }, derivatives(short));
      await engine.optimStep({ learningRate: 0.01 });
    }
    expect(await limited.parameters()).toEqual(await ample.parameters());

    // control: the limit is what refuses
    await ample.backward({ sequences: mixed }, derivatives(mixed));
    expect((await limited.forward({ sequences: short })).logProb).toHaveLength(2);
  },
);

test("a 0.6 B model that opens within 2 GB is refused at 2048 tokens, naming what to lower", () => {
  const budget = new MemoryBudget({
    config: QWEN3_0_6B,
    trains: "lora",
    base: "int8",
    precision: "f32",
    checkpointing: "layer",
    chosen: NOTHING_CHOSEN,
    maxMicrobatchTokens: 1024,
    limit: 2e9,
  });
  const model = { rank: 16 };
  budget.checkModel(model);
  budget.add(model);
  budget.checkMicrobatches([{ batch: 1, length: 512 }]);
  const long = () => budget.checkMicrobatches([{ batch: 1, length: 2048 }]);
  expect(long).toThrow(/int4, shorten the sequences, lower the rank, or choose a smaller model$/);
  expect(long).toThrow(expect.objectContaining({ code: "OUT_OF_MEMORY" }));
  expect(() => budget.checkMicrobatches([{ batch: 4, length: 1024 }])).toThrow(
    /shorten the sequences, take fewer sequences at a time, lower the rank/,
  );
});

test("microbatches that fit one model are checked again once a second is loaded", () => {
  const plan = { ...BASE, checkpointing: "layer", sequences: 1, rank: 8 } as const;
  const budget = new MemoryBudget({
    ...BASE,
    precision: "f32",
    checkpointing: "layer",
    chosen: NOTHING_CHOSEN,
    maxMicrobatchTokens: MOST_TOKENS,
    limit: planMemory({ ...plan, length: 900 }).totalBytes,
  });
  const [first, second] = [{ rank: 8 }, { rank: 4 }];
  const microbatches = [{ batch: 1, length: 900 }];
  budget.add(first);
  budget.checkMicrobatches(microbatches);
  budget.checkModel(second);
  budget.add(second);
  expect(() => budget.checkMicrobatches(microbatches)).toThrow(/the limit is/);
  budget.remove(second);
  budget.checkMicrobatches(microbatches);
});
