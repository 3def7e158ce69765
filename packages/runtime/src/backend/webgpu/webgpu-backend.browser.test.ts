/**
 * Behavior specific to the WebGPU backend; `agreement` tests its numbers. All tests share one
 * backend, because compiling kernels takes most of the time on software devices.
 */
import { expect, test } from "vitest";
import { QWEN3 } from "../../agreement/agreement-models.ts";
import { randomAdapter, randomDecoderWeights } from "../../agreement/random-decoder.ts";
import type {
  DecoderBackend,
  DecoderCache,
  DecoderRow,
  DecoderSession,
} from "../decoder-backend.ts";
import { createModuleGraph } from "./module-graph.ts";
import { createWebgpuBackend } from "./webgpu-backend.ts";
import { requestWebgpuDevice } from "./webgpu-device.ts";

const CONTEXT_LENGTH = 160;
/** Fewer than a run may read, as with a large vocabulary. */
const MOST_SCORES = 12;
const DISTRIBUTION = { temperature: 1, topK: 0, topP: 1 };

/** An independent count of live buffers on a device. */
function countBuffers(device: GPUDevice): () => number {
  const live = new Set<GPUBuffer>();
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    live.add(buffer);
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy();
    };
    return buffer;
  };
  return () => live.size;
}

async function open(): Promise<{
  readonly backend: DecoderBackend;
  readonly device: GPUDevice;
  readonly countLive: () => number;
}> {
  const device = await requestWebgpuDevice(navigator.gpu);
  const countLive = countBuffers(device);
  const backend = await createWebgpuBackend({
    createGraph: createModuleGraph,
    device,
    config: QWEN3,
    weights: randomDecoderWeights(QWEN3, 3),
    contextLength: CONTEXT_LENGTH,
    adapters: true,
    maxRunScores: MOST_SCORES,
  });
  return { backend, device, countLive };
}

let opened: ReturnType<typeof open> | null = null;
const openOnce = (): ReturnType<typeof open> => (opened ??= open());

/** Scores of tokens, read all at once or one by one. */
async function scoresOf(
  session: DecoderSession,
  tokenIds: readonly number[],
  perRun: number,
): Promise<number[]> {
  const cache = await session.createCache();
  const logProbs: number[] = [];
  for (let start = 0; start + 1 < tokenIds.length; start += perRun) {
    const end = Math.min(start + perRun, tokenIds.length - 1);
    const row: DecoderRow = {
      cache,
      tokenIds: tokenIds.slice(start, end),
      output: {
        kind: "score",
        targets: tokenIds.slice(start + 1, end + 1),
        distribution: DISTRIBUTION,
      },
    };
    const [result] = await session.run([row]);
    for (const score of result?.scores ?? []) logProbs.push(score?.rawLogProb ?? Number.NaN);
  }
  cache.dispose();
  return logProbs;
}

test("recorded steps of alternating adapters give the numbers of normal runs", async () => {
  const { backend } = await openOnce();
  const tokenIds = Array.from({ length: 13 }, (_, i) => (i * i * 7 + 5) % 97);
  const sessions = [
    await backend.open(null),
    await backend.open(randomAdapter(QWEN3, 4, 1)),
    await backend.open(randomAdapter(QWEN3, 4, 1), -0.5),
  ];
  const stepped: number[][] = [];
  for (const session of sessions) stepped.push(await scoresOf(session, tokenIds, 1));
  for (const [index, session] of sessions.entries()) {
    const ordinary = await scoresOf(session, tokenIds, MOST_SCORES);
    for (const [at, logProb] of ordinary.entries()) {
      expect(stepped[index]?.[at]).toBeCloseTo(logProb, 4);
    }
    await session.release();
  }
  expect(stepped[0]).not.toEqual(stepped[1]);
  expect(stepped[1]).not.toEqual(stepped[2]);
  expect(backend.memory()).toMatchObject({ adapters: 0, caches: 0 });
});

test("a prompt is read in one run, even if few of its tokens can be scored", async () => {
  const { backend } = await openOnce();
  const session = await backend.open(null);
  expect(session).toMatchObject({ maxRunTokens: 31, maxRunScores: MOST_SCORES });
  const tokenIds = Array.from({ length: 32 }, (_, i) => (i * i * 5 + 3) % 97);
  const cache = await session.createCache();
  const ask = (scored: number): DecoderRow => ({
    cache,
    tokenIds: tokenIds.slice(0, 31),
    output: {
      kind: "score",
      targets: tokenIds.slice(1).map((id, at) => (at >= 31 - scored ? id : -1)),
      distribution: DISTRIBUTION,
    },
  });
  await expect(session.run([ask(MOST_SCORES + 1)])).rejects.toThrow(
    /tokens to score; a row takes at most 12/,
  );
  const [result] = await session.run([ask(2)]);
  const inParts = await scoresOf(session, tokenIds, MOST_SCORES);
  expect(result?.scores?.slice(0, 29)).toEqual(Array(29).fill(null));
  for (const at of [29, 30]) {
    expect(result?.scores?.[at]?.rawLogProb).toBeCloseTo(inParts[at] as number, 4);
  }
  cache.dispose();
  await session.release();
});

test("steps submitted ahead equal normal runs, also if something else is requested", async () => {
  const { backend } = await openOnce();
  const session = await backend.open(null);
  const adapted = await backend.open(randomAdapter(QWEN3, 4, 1));
  const caches = [await session.createCache(), await session.createCache()];
  const ids: number[][] = [[3], [8]];
  const drawn: number[][] = [[], []];
  const step = async (members: readonly number[]): Promise<void> => {
    const results = await session.run(
      members.map((member) => ({
        cache: caches[member] as DecoderCache,
        tokenIds: [ids[member]?.at(-1) as number],
        output: { kind: "sample", distribution: DISTRIBUTION, uniform: 0.3, allowed: null },
      })),
    );
    for (const [order, member] of members.entries()) {
      const sampled = results[order]?.sampled;
      ids[member]?.push(sampled?.tokenId ?? 0);
      drawn[member]?.push(sampled?.rawLogProb ?? Number.NaN);
    }
  };
  const steps = async (count: number, members: readonly number[]): Promise<void> => {
    for (let done = 0; done < count; done++) await step(members);
  };
  await steps(4, [0]);
  // Another adapter's run, then a token other than the drawn one, then a truncated cache.
  await scoresOf(adapted, [1, 2, 3], 1);
  await steps(3, [0]);
  const other = ((ids[0]?.pop() as number) + 1) % 97;
  ids[0]?.push(other);
  drawn[0]?.splice(-1, 1, Number.NaN);
  await steps(3, [0]);
  caches[0]?.truncate(8);
  ids[0]?.splice(9);
  drawn[0]?.splice(8);
  await steps(2, [0]);
  // A fork that diverges in the same row.
  const fork = await session.fork(caches[0] as DecoderCache, 9);
  const row = { cache: fork, tokenIds: [50], output: { kind: "none" } } as const;
  await session.run([row]);
  await steps(3, [0]);
  await steps(3, [1]);
  await steps(4, [0, 1]);
  await steps(2, [1]);
  for (const [member, tokens] of ids.entries()) {
    const expected = await scoresOf(session, tokens, MOST_SCORES);
    expect(expected.length).toBeGreaterThan(8);
    const gaps = (drawn[member] ?? []).map((logProb, at) => logProb - (expected[at] ?? Infinity));
    const known = gaps.filter((gap) => !Number.isNaN(gap));
    expect(known.length).toBeGreaterThan(7);
    expect(Math.max(...known.map(Math.abs))).toBeLessThan(1e-4);
  }
  for (const cache of [...caches, fork]) cache.dispose();
  await session.release();
  await adapted.release();
});

test("full rows take part in steps as idle rows and do not change", async () => {
  const { backend } = await openOnce();
  const session = await backend.open(null);
  const tokenIds = Array.from({ length: CONTEXT_LENGTH }, (_, i) => (i * i * 3 + 1) % 97);
  const caches: DecoderCache[] = [];
  for (let row = 0; row < 3; row++) caches.push(await session.createCache());
  for (let start = 0; start < CONTEXT_LENGTH - 2; start += 31) {
    for (const cache of caches) {
      const part = tokenIds.slice(start, Math.min(start + 31, CONTEXT_LENGTH - 2));
      await session.run([{ cache, tokenIds: part, output: { kind: "none" } }]);
    }
  }
  const step = async (rows: readonly number[], at: number): Promise<number[]> => {
    const results = await session.run(
      rows.map((row) => ({
        cache: caches[row]!,
        tokenIds: [tokenIds[at] as number],
        output: { kind: "score", targets: [5], distribution: DISTRIBUTION },
      })),
    );
    return results.map(({ scores }) => scores?.[0]?.rawLogProb ?? Number.NaN);
  };
  await step([0, 1, 2], CONTEXT_LENGTH - 2);
  const [first, second] = await step([0, 1], CONTEXT_LENGTH - 1);
  // The full rows are idle now.
  caches[2]?.truncate(CONTEXT_LENGTH - 3);
  await step([2], CONTEXT_LENGTH - 3);
  await step([2], CONTEXT_LENGTH - 2);
  const [third] = await step([2], CONTEXT_LENGTH - 1);
  expect(first).toBeCloseTo(third as number, 4);
  expect(second).toBeCloseTo(third as number, 4);
  await expect(step([0], 0)).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
  await session.release();
});

test("lack of memory for a cache is a retryable error", async () => {
  const { backend, device } = await openOnce();
  const session = await backend.open(null);
  const before = backend.memory();
  const popErrorScope = device.popErrorScope.bind(device);
  device.popErrorScope = async () => {
    await popErrorScope();
    return new GPUOutOfMemoryError("no room");
  };
  const cache = await session.createCache();
  const row: DecoderRow = { cache, tokenIds: [1], output: { kind: "none" } };
  await expect(session.run([row])).rejects.toMatchObject({
    code: "OUT_OF_MEMORY",
    retryable: true,
  });
  expect(backend.memory()).toEqual(before);
  device.popErrorScope = popErrorScope;
  await session.run([row]);
  expect(cache.length).toBe(1);
  await session.release();
});

const NOTHING = { weights: 0, adapters: 0, caches: 0, scratch: 0 };

test("a lost device rejects current and later runs, and dispose frees everything", async () => {
  const { backend, device, countLive } = await openOnce();
  const session = await backend.open(null);
  const cache = await session.createCache();
  const row: DecoderRow = {
    cache,
    tokenIds: [1],
    output: { kind: "sample", distribution: DISTRIBUTION, uniform: 0.5, allowed: null },
  };
  await session.run([row]);
  const running = session.run([row]);
  device.destroy();
  const lost = { code: "DEVICE_LOST", retryable: true };
  await expect(running).rejects.toMatchObject(lost);
  await expect((async () => session.run([row]))()).rejects.toMatchObject(lost);
  await expect(backend.open(null)).rejects.toMatchObject(lost);
  cache.dispose();
  await session.release();
  await backend.dispose();
  expect(backend.memory()).toEqual(NOTHING);
  expect(countLive()).toBe(0);
});
