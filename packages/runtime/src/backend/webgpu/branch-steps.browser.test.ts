/**
 * Branches of one prefix on WebGPU give the numbers of the same tokens read separately. Compiling the kernels takes minutes on
 * a software device, so `npm test` leaves these out. It has lost-device, which compares continuations of branches.
 */
import { parameterCount } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { beforeAll, expect, test } from "vitest";
import { isLong } from "../../../../../test/fixtures/long.ts";
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

const DISTRIBUTION = { temperature: 1, topK: 0, topP: 1 };
const PREFIX = 130;
const NOTHING = { weights: 0, adapters: 0, caches: 0, scratch: 0 };
/** Bytes of one position of a sequence: keys and values of both layers. */
const POSITION_BYTES = 2 * 2 * 4 * QWEN3.keyValueHeads * QWEN3.headSize;
/** Weights, and keys and values of 512 positions, have the nano model's proportions. */
const MEDIUM: DecoderConfig = { ...QWEN3, feedForwardSize: 4096 };
/** Large by its widest products, which are little work for one token. */
const LARGE: DecoderConfig = { ...QWEN3, feedForwardSize: 11_264 };

type Branch = {
  readonly cache: DecoderCache;
  /** The whole sequence; its last token is not read yet. */
  readonly tokenIds: number[];
  /** Log-probs of tokens from `PREFIX + 1` on, if known. */
  readonly logProbs: (number | undefined)[];
};

const tokenAt = (at: number, of: number): number => (at * at * 7 + of * 13 + 5) % 97;
const trunkIds = Array.from({ length: PREFIX }, (_, at) => tokenAt(at, 0));

/**
 * One device for all backends, because compiling kernels takes most of the time on software
 * devices.
 */
let device: GPUDevice;
/** Peak of bytes in use since it was reset. */
let peak = 0;
/** Bytes in use. */
let live = 0;
/** Keeps the device alive between backends. */
let keeper: DecoderBackend;

beforeAll(async () => {
  device = await requestWebgpuDevice(navigator.gpu);
  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    const buffer = create(descriptor);
    live += descriptor.size;
    peak = Math.max(peak, live);
    const destroy = buffer.destroy.bind(buffer);
    let isLive = true;
    buffer.destroy = () => {
      if (isLive) live -= descriptor.size;
      isLive = false;
      return destroy();
    };
    return buffer;
  };
  keeper = (await open(QWEN3, 32)).backend;
}, 60_000);

/** A backend, with a count of the runs by onnxruntime for each graph. */
async function open(config: DecoderConfig, contextLength: number) {
  const runs: number[] = [];
  const backend = await createWebgpuBackend({
    createGraph: async (...all) => {
      const graph = await createModuleGraph(...all);
      const index = runs.push(0) - 1;
      return {
        run: (...operands) => {
          runs[index]!++;
          return graph.run(...operands);
        },
        loadBranches: graph.loadBranches!,
        release: () => graph.release(),
      };
    },
    device,
    config,
    weights: randomDecoderWeights(config, 3),
    contextLength,
    adapters: true,
  });
  return { backend, runs };
}

async function read(session: DecoderSession, cache: DecoderCache, tokenIds: readonly number[]) {
  for (let at = 0; at < tokenIds.length; at += session.maxRunTokens) {
    const part = tokenIds.slice(at, at + session.maxRunTokens);
    await session.run([{ cache, tokenIds: part, output: { kind: "none" } }]);
  }
}

/** The trunk as one of its own branches, and forks of it. */
async function branchesOf(session: DecoderSession, count: number): Promise<Branch[]> {
  const trunk = await session.createCache();
  await read(session, trunk, trunkIds);
  const branches: Branch[] = [];
  for (let of = 0; of < count; of++) {
    const cache = of === 0 ? trunk : await session.fork(trunk, PREFIX);
    branches.push({ cache, tokenIds: [...trunkIds, tokenAt(PREFIX, of)], logProbs: [] });
  }
  return branches;
}

/** Reads the last token of each branch; the next one is given, or drawn. */
async function step(
  session: DecoderSession,
  branches: readonly Branch[],
  kind: "score" | "sample",
): Promise<void> {
  const next = branches.map(({ tokenIds }, of) => tokenAt(tokenIds.length, of));
  const results = await session.run(
    branches.map(({ cache, tokenIds }, of): DecoderRow => ({
      cache,
      tokenIds: [tokenIds.at(-1) as number],
      output:
        kind === "score"
          ? { kind, targets: [next[of] as number], distribution: DISTRIBUTION }
          : { kind, distribution: DISTRIBUTION, uniform: (of + 0.5) / 10, allowed: null },
    })),
  );
  for (const [of, { tokenIds, logProbs }] of branches.entries()) {
    const { sampled, scores } = results[of]!;
    tokenIds.push(sampled?.tokenId ?? (next[of] as number));
    logProbs[tokenIds.length - PREFIX - 2] = (sampled ?? scores?.[0])?.rawLogProb;
  }
}

/** Truncates to the first tokens; the token after them is to be read next. */
function goBack({ cache, tokenIds, logProbs }: Branch, length: number): void {
  cache.truncate(length);
  tokenIds.splice(length + 1);
  logProbs.splice(Math.max(0, length - PREFIX));
}

/** Largest difference from the same sequence read separately, over at least `least` tokens. */
async function gapOf(session: DecoderSession, branch: Branch, least: number): Promise<number> {
  const { tokenIds, logProbs } = branch;
  const cache = await session.createCache();
  await read(session, cache, tokenIds.slice(0, PREFIX));
  let gap = 0;
  let known = 0;
  for (let at = PREFIX; at + 1 < tokenIds.length; at += 16) {
    const part = tokenIds.slice(at, Math.min(at + 16, tokenIds.length - 1));
    const targets = tokenIds.slice(at + 1, at + 1 + part.length);
    const output = { kind: "score", targets, distribution: DISTRIBUTION } as const;
    const [result] = await session.run([{ cache, tokenIds: part, output }]);
    for (const [index, score] of result!.scores!.entries()) {
      const own = logProbs[at + index - PREFIX];
      if (own === undefined) continue;
      known++;
      gap = Math.max(gap, Math.abs(own - score!.rawLogProb));
    }
  }
  cache.dispose();
  expect(known).toBeGreaterThanOrEqual(least);
  return gap;
}

test.runIf(isLong())(
  "a group of eight takes at most the memory of 1.6 runs plus its members' own positions",
  async () => {
    peak = live;
    const { backend } = await open(MEDIUM, 640);
    const session = await backend.open(null);
    const prompt = Array.from({ length: 512 }, (_, at) => tokenAt(at, 0));
    const branch = (cache: DecoderCache): Branch => ({
      cache,
      tokenIds: [...prompt],
      logProbs: [],
    });
    const trunk = await session.createCache();
    await read(session, trunk, prompt.slice(0, -1));
    for (let done = 0; done < 4; done++) await step(session, [branch(trunk)], "sample");
    const one = peak;
    expect(one).toBeGreaterThan(640 * POSITION_BYTES);
    trunk.truncate(prompt.length - 1);
    const members = [];
    for (let of = 0; of < 8; of++) {
      members.push(branch(await session.fork(trunk, prompt.length - 1)));
    }
    for (let done = 0; done < 4; done++) await step(session, members, "sample");
    expect(peak).toBeLessThan(1.6 * one + 8 * 32 * POSITION_BYTES);
    trunk.dispose();
    for (const { cache } of members) cache.dispose();
    expect(backend.memory()).toMatchObject({ caches: 0 });
    await session.release();
    await backend.dispose();
  },
);

test.runIf(isLong())(
  "a model of more than 2 M parameters has one copy of its weights",
  async () => {
    expect(parameterCount(LARGE)).toBeGreaterThan(2 * 1024 * 1024);
    const before = keeper.memory();
    const { backend } = await open(LARGE, 160);
    const { weights } = backend.memory();
    // Each parameter once; the two rotary tables are less than a tenth of that.
    expect(weights - before.weights).toBeGreaterThan(4 * parameterCount(LARGE));
    expect(weights - before.weights).toBeLessThan(4.4 * parameterCount(LARGE));
    const session = await backend.open(null);
    const branches = await branchesOf(session, 3);
    for (let done = 0; done < 3; done++) await step(session, branches, "sample");
    expect(backend.memory()).toMatchObject({ weights });
    expect(await gapOf(session, branches[1] as Branch, 2)).toBeLessThan(1e-4);
    for (const { cache } of branches) cache.dispose();
    await session.release();
    await backend.dispose();
    // onnxruntime's scratch memory is freed with the device's last backend.
    const { scratch: _, ...held } = before;
    expect(keeper.memory()).toMatchObject(held);
  },
);

test.runIf(isLong())(
  "branches grow, sample, are disposed of, truncated and forked, and free their memory",
  async () => {
    const { backend, runs } = await open(QWEN3, 256);
    const { weights } = backend.memory();
    const sessions = [await backend.open(null), await backend.open(randomAdapter(QWEN3, 4, 1))];
    const gaps: number[] = [];
    for (const [index, session] of sessions.entries()) {
      // What the other session keeps for its next context.
      const kept = backend.memory().caches;
      const caches = (own: number): number => kept + (256 + 8 * own) * POSITION_BYTES;
      const branches = await branchesOf(session, 5);
      const [first, second, third, fourth, fifth] = branches as [
        Branch,
        Branch,
        Branch,
        Branch,
        Branch,
      ];
      for (let done = 0; done < 3; done++) await step(session, branches, "sample");
      // The prefix, with room for 256, and eight rows of 32 positions; no row of the context is left.
      expect(backend.memory()).toMatchObject({ weights, caches: caches(32) });
      for (let done = 0; done < (index === 0 ? 31 : 2); done++) {
        await step(session, branches, "score");
      }
      await step(session, [first, third], "sample");
      await step(session, [first], "sample");
      second.cache.dispose();
      fifth.cache.dispose();
      // Truncate to own positions, and to shared ones.
      goBack(first, PREFIX + 2);
      goBack(third, PREFIX - 1);
      const forkAt = async (length: number): Promise<Branch> => ({
        cache: await session.fork(fourth.cache, length),
        tokenIds: fourth.tokenIds.slice(0, length + 1),
        logProbs: fourth.logProbs.slice(0, Math.max(0, length - PREFIX)),
      });
      // Fork within own positions, and within shared ones: neither takes a row of the context.
      const forks = [await forkAt(PREFIX + 2), await forkAt(PREFIX - 2)];
      const left = [first, third, fourth, ...forks];
      for (let done = 0; done < 4; done++) await step(session, left, "sample");
      await step(session, left.toReversed(), "score");
      expect(backend.memory()).toMatchObject({ caches: caches(index === 0 ? 64 : 32) });
      // Several tokens at once are read in a separate row, to which all its positions are copied.
      const [next] = left.splice(1, 1) as [Branch];
      const more = [1, 2, 3].map((of) => tokenAt(next.tokenIds.length, of));
      await read(session, next.cache, [next.tokenIds.at(-1) as number, ...more.slice(0, 2)]);
      next.tokenIds.push(...more);
      await step(session, [next], "sample");
      // One is disposed of while the others step.
      const others = left.filter((branch) => branch !== forks[0]);
      const stepping = step(session, others, "sample");
      forks[0]?.cache.dispose();
      await stepping;
      for (const branch of [...branches, ...forks]) gaps.push(await gapOf(session, branch, 3));
      for (const { cache } of [next, ...left]) cache.dispose();
    }
    expect(Math.max(...gaps)).toBeLessThan(1e-4);
    // Of each shape onnxruntime ran two steps, for the recording; all others ran without it.
    const shapes = 4;
    expect(runs).toEqual([expect.any(Number), 2 * shapes]);
    for (const session of sessions) await session.release();
    await backend.dispose();
    await keeper.dispose();
    expect(keeper.memory()).toEqual(NOTHING);
  },
  240_000,
);
