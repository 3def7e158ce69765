/** Branches of one prefix on WebGPU: their numbers are those of the same tokens read by themselves. */
import { expect, test } from "vitest";
import { QWEN3 } from "../../agreement/agreement-models.ts";
import { randomAdapter, randomDecoderWeights } from "../../agreement/random-decoder.ts";
import type { DecoderCache, DecoderRow, DecoderSession } from "../decoder-backend.ts";
import { createModuleGraph } from "./module-graph.ts";
import { createWebgpuBackend } from "./webgpu-backend.ts";
import { requestWebgpuDevice } from "./webgpu-device.ts";

const DISTRIBUTION = { temperature: 1, topK: 0, topP: 1 };
const PREFIX = 130;
const NOTHING = { weights: 0, adapters: 0, caches: 0, scratch: 0 };

type Branch = {
  readonly cache: DecoderCache;
  /** Of the whole sequence, the last not read yet. */
  readonly tokenIds: number[];
  /** Log-probs of tokens from `PREFIX + 1` on, where they are known. */
  readonly logProbs: (number | undefined)[];
};

const tokenAt = (at: number, of: number): number => (at * at * 7 + of * 13 + 5) % 97;
const trunkIds = Array.from({ length: PREFIX }, (_, at) => tokenAt(at, 0));

/** A back end, and how often each of its graphs was run by onnxruntime. */
async function open() {
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
    device: await requestWebgpuDevice(navigator.gpu),
    config: QWEN3,
    weights: randomDecoderWeights(QWEN3, 3),
    contextLength: 256,
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

/** Reads the last token of each; the next is given, or drawn. */
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

/** Forgets all but the first tokens, and has the one after them to read. */
function goBack({ cache, tokenIds, logProbs }: Branch, length: number): void {
  cache.truncate(length);
  tokenIds.splice(length + 1);
  logProbs.splice(Math.max(0, length - PREFIX));
}

/** Largest difference from the same sequence read by itself, over at least `least` tokens. */
async function gapOf(session: DecoderSession, branch: Branch, least: number): Promise<number> {
  const { tokenIds, logProbs } = branch;
  const cache = await session.createCache();
  await read(session, cache, trunkIds);
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

test("branches grow, draw, leave, go back and are forked; nothing of them is left", async () => {
  const { backend, runs } = await open();
  const sessions = [await backend.open(null), await backend.open(randomAdapter(QWEN3, 4, 1))];
  const gaps: number[] = [];
  for (const [index, session] of sessions.entries()) {
    const branches = await branchesOf(session, 5);
    const [first, second, third, fourth, fifth] = branches as [
      Branch,
      Branch,
      Branch,
      Branch,
      Branch,
    ];
    const trunkBytes = backend.memory().caches;
    for (let done = 0; done < 3; done++) await step(session, branches, "sample");
    // One more prefix, and eight rows of 32 positions: not eight rows of the whole context.
    expect(backend.memory().caches).toBeLessThan(trunkBytes * 3);
    for (let done = 0; done < (index === 0 ? 31 : 2); done++) {
      await step(session, branches, "score");
    }
    await step(session, [first, third], "sample");
    await step(session, [first], "sample");
    second.cache.dispose();
    fifth.cache.dispose();
    // Back to what is its own, and to what is shared.
    goBack(first, PREFIX + 2);
    goBack(third, PREFIX - 1);
    const fork: Branch = {
      cache: await session.fork(fourth.cache, PREFIX + 2),
      tokenIds: fourth.tokenIds.slice(0, PREFIX + 3),
      logProbs: fourth.logProbs.slice(0, 2),
    };
    const left = [first, third, fourth, fork];
    for (let done = 0; done < 4; done++) await step(session, left, "sample");
    await step(session, left.toReversed(), "score");
    fork.cache.dispose();
    await step(session, [first], "sample");
    for (const branch of [...branches, fork]) gaps.push(await gapOf(session, branch, 4));
    for (const { cache } of left) cache.dispose();
  }
  expect(Math.max(...gaps)).toBeLessThan(1e-4);
  // Of each shape onnxruntime ran two steps, for the recording; all others went without it.
  const shapes = 4;
  expect(runs).toEqual([expect.any(Number), 2 * shapes]);
  for (const session of sessions) await session.release();
  expect(backend.memory()).toMatchObject({ adapters: 0, caches: 0 });
  await backend.dispose();
  expect(backend.memory()).toEqual(NOTHING);
});
