/** Stored weights, memory and failures of the SIMD backend. `agreement/` compares its results. */
import { decoderParameters, expandedWeights, openModelWeights, PlainDecoder } from "@waggle/model";
import type { TensorSource } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test, vi } from "vitest";
import {
  TINY_CONFIG,
  tinyAdapter,
  tinyPrompt,
  tinyQuantizedFiles,
  tinyWeights,
} from "../../tiny-decoder.fixture.ts";
import type { DecoderCache, DecoderRow } from "../decoder-backend.ts";
import { createSimdBackend } from "./simd-backend.ts";
import { SimdMemory } from "./simd-memory.ts";

const OPTIONS = { config: TINY_CONFIG, weights: tinyWeights(), contextLength: 160 } as const;
const POSITION_BYTES = 8 * TINY_CONFIG.layers * TINY_CONFIG.keyValueHeads * TINY_CONFIG.headSize;
const PAGE_BYTES = 32 * POSITION_BYTES;

function reading(cache: DecoderCache, tokenIds: readonly number[]): DecoderRow {
  return { cache, tokenIds, output: { kind: "none" } };
}

function scoring(cache: DecoderCache, tokenIds: readonly number[]): DecoderRow {
  const targets = [...tokenIds.slice(1), -1];
  return { cache, tokenIds, output: { kind: "score", targets, distribution: FULL_SUPPORT } };
}

test.each(["int8", "int4"] as const)("reads weights stored in %s as they are", async (dtype) => {
  const weights = await storedWeights(dtype);
  const backend = await createSimdBackend({ ...OPTIONS, weights, dtype });
  const session = await backend.open(null);
  const tokenIds = tinyPrompt(40);
  const [row] = await session.run([scoring(await session.createCache(), tokenIds)]);
  const plain = new PlainDecoder(TINY_CONFIG, await expanded(weights, dtype));
  for (const [at, expected] of plain.readLogProbs(tokenIds).entries()) {
    expect(Math.abs((row?.scores?.[at]?.rawLogProb ?? Number.NaN) - expected)).toBeLessThan(1e-4);
  }
  await backend.dispose();
});

test("forks share the pages of their prefix until one writes to them", async () => {
  const backend = await createSimdBackend(OPTIONS);
  const session = await backend.open(null);
  const trunk = await session.createCache();
  await session.run([reading(trunk, tinyPrompt(40))]);
  expect(backend.memory().caches).toBe(2 * PAGE_BYTES);
  const forks = [await session.fork(trunk, 40), await session.fork(trunk, 32)];
  expect(backend.memory().caches).toBe(2 * PAGE_BYTES);
  await session.run([reading(forks[0] as DecoderCache, [1])]); // the page was shared, so it is copied
  expect(backend.memory().caches).toBe(3 * PAGE_BYTES);
  await session.run([reading(forks[1] as DecoderCache, [2])]); // position 32 begins a page
  expect(backend.memory().caches).toBe(4 * PAGE_BYTES);
  trunk.dispose();
  trunk.dispose();
  expect(backend.memory().caches).toBe(3 * PAGE_BYTES);
  for (const fork of forks) fork.dispose();
  expect(backend.memory().caches).toBe(0);
});

test("memory is what the backend says, and parts that were freed are used again", async () => {
  const memory = new SimdMemory();
  const backend = await createSimdBackend({ ...OPTIONS, dtype: "int4", memory });
  const use = async (): Promise<void> => {
    const session = await backend.open(tinyAdapter(1));
    await session.run([scoring(await session.createCache(), tinyPrompt(100))]);
    expect(backend.memory().adapters).toBeGreaterThan(0);
    await session.release();
  };
  const loaded = memory.floats.byteLength;
  const { weights, scratch, adapters, caches } = backend.memory();
  expect([adapters, caches]).toEqual([0, 0]);
  expect(loaded - weights - scratch).toBeLessThan(128 * 1024);
  await use();
  const used = memory.floats.byteLength;
  for (let again = 0; again < 5; again++) await use();
  expect(memory.floats.byteLength).toBe(used);
  expect(backend.memory()).toEqual({ weights, scratch, adapters, caches });
});

test("a run that memory refuses can be tried again", async () => {
  const memory = new SimdMemory();
  const backend = await createSimdBackend({ ...OPTIONS, memory });
  const session = await backend.open(null);
  const refusing = vi.spyOn(memory.kernels.memory, "grow").mockImplementation(() => {
    throw new RangeError("no more pages");
  });
  const caches: DecoderCache[] = [];
  const fill = async (): Promise<void> => {
    for (let row = 0; row < 64; row++) {
      caches.push(await session.createCache());
      await session.run([reading(caches.at(-1) as DecoderCache, tinyPrompt(100))]);
    }
  };
  await expect(fill()).rejects.toMatchObject({ code: "OUT_OF_MEMORY", retryable: true });
  for (const cache of caches.splice(0)) cache.dispose();
  refusing.mockRestore();
  await fill();
});

test("what cannot be computed is an error", async () => {
  const weights = new Map(tinyWeights());
  const norm = weights.get("model.norm.weight") as Tensor;
  weights.set("model.norm.weight", { ...norm, data: norm.data.map(() => 3e38) });
  const overflowing = await (await createSimdBackend({ ...OPTIONS, weights })).open(null);
  const run = async () => overflowing.run([scoring(await overflowing.createCache(), [1, 2])]);
  await expect(run()).rejects.toMatchObject({ code: "NON_FINITE_VALUE" });

  const config = { ...TINY_CONFIG, modelType: "gemma3_text" } as const;
  const gemma = createSimdBackend({ ...OPTIONS, config });
  await expect(gemma).rejects.toMatchObject({ code: "MODEL_UNSUPPORTED" });

  const backend = await createSimdBackend(OPTIONS);
  const session = await backend.open(null);
  const long = async () => session.run([reading(await session.createCache(), tinyPrompt(161))]);
  await expect(long()).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
  await backend.dispose();
  await expect(backend.open(null)).rejects.toMatchObject({ code: "DEVICE_LOST", retryable: true });
});

async function storedWeights(dtype: "int8" | "int4"): Promise<TensorSource> {
  const files = await tinyQuantizedFiles(dtype);
  const open = (path: string) => {
    const bytes = files.get(path) as Uint8Array;
    return {
      sizeBytes: bytes.length,
      read: async (offset: number, length: number) => bytes.slice(offset, offset + length),
    };
  };
  return openModelWeights((path) => files.has(path), open);
}

async function expanded(weights: TensorSource, dtype: "int8" | "int4"): Promise<TensorMap> {
  const source = expandedWeights(TINY_CONFIG, weights, dtype);
  const read = new Map<string, Tensor>();
  for (const { name } of decoderParameters(TINY_CONFIG)) read.set(name, await source.read(name));
  return read;
}
