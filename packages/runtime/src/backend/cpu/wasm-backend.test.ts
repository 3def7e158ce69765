/** Memory of branches of one prefix on WASM, run in Node as workers run it. */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { expect, test } from "vitest";
import { TINY_CONFIG, tinyPrompt, tinyWeights } from "../../tiny-decoder.fixture.ts";
import type { DecoderCache, DecoderRow } from "../decoder-backend.ts";
import { createWasmBackend } from "./wasm-backend.ts";

const PREFIX = 130;
const BRANCHES = 4;
/** Bytes of one position: keys and values of all layers, 4 bytes each. */
const POSITION_BYTES = 8 * TINY_CONFIG.layers * TINY_CONFIG.keyValueHeads * TINY_CONFIG.headSize;

const row = (cache: DecoderCache, tokenIds: readonly number[]): DecoderRow => ({
  cache,
  tokenIds,
  output: { kind: "sample", distribution: MOST_LIKELY, uniform: 0, allowed: null },
});
const MOST_LIKELY = { temperature: 1, topK: 1, topP: 1 };

async function steppedGroup(branchWeights: "once" | "twice") {
  const backend = await createWasmBackend({
    config: TINY_CONFIG,
    weights: tinyWeights(),
    contextLength: TINY_CONFIG.contextLength,
    threads: 1,
    branchWeights,
    createModule,
  });
  const session = await backend.open(null);
  const other = await backend.open(null);
  const beside = await other.createCache();
  const single = (id: number) => other.run([row(beside, [id])]);
  const plain = [await single(3), await single(5)];
  const trunk = await session.createCache();
  await session.run([row(trunk, tinyPrompt(PREFIX))]);
  const before = backend.memory();
  const branches: DecoderCache[] = [];
  for (let i = 0; i < BRANCHES; i++) branches.push(await session.fork(trunk, PREFIX));
  trunk.dispose();
  const first = await session.run(branches.map((cache, i) => row(cache, [i])));
  const second = await session.run(branches.map((cache, i) => row(cache, [i + 7])));
  plain.push(await single(7));
  await other.release();
  const after = backend.memory();
  await session.release();
  await backend.dispose();
  const tokenIds = [first, second, ...plain].map((results) =>
    results.map(({ sampled }) => sampled?.tokenId),
  );
  return { before, after, tokenIds };
}

test("a group stores its prefix once and the weights once or twice, with equal tokens, beside another session", async () => {
  const once = await steppedGroup("once");
  const twice = await steppedGroup("twice");
  // Nodes of a graph that runs both ways take space; the matrices of this model are small.
  expect(once.after.weights).toBeLessThan(1.1 * once.before.weights);
  expect(twice.after.weights).toBeGreaterThan(1.9 * twice.before.weights);
  for (const { after } of [once, twice]) {
    const positions = after.caches / POSITION_BYTES;
    expect(positions).toBeGreaterThanOrEqual(PREFIX + BRANCHES * 2);
    expect(positions).toBeLessThan(2 * PREFIX + BRANCHES);
  }
  expect(once.tokenIds).toEqual(twice.tokenIds);
});
