import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import type { Sample, ScoreRequest } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import {
  TINY_BASE_MODEL,
  TINY_CONFIG,
  tinyAdapter,
  tinyPrompt,
  tinyWeights,
} from "../tiny-decoder.fixture.ts";
import { createScheduledNodePolicy } from "./node-policy.ts";
import type { NodePolicyOptions } from "./node-policy.ts";

const weights = tinyWeights();

const open = (
  options: Partial<NodePolicyOptions> = {},
  seams: { keepsCacheOnAdoption?: boolean } = {},
) =>
  createScheduledNodePolicy(
    { config: TINY_CONFIG, weights, baseModel: TINY_BASE_MODEL, threads: 1, ...options },
    seams,
  );

const full = (seed: number) => ({ ...FULL_SUPPORT, seed });

/** The score request for a context's recorded sample. */
function requestFor(tokenIds: readonly number[], start: number, sample: Sample): ScoreRequest {
  const kept = sample.keptTokenIds;
  return {
    tokenIds,
    sampling: FULL_SUPPORT,
    ...(kept && { keptTokenIds: [...tokenIds.slice(0, start).map(() => null), ...kept] }),
  };
}

const largestGap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

describe("sampled numbers equal teacher-forced ones", () => {
  test.each([1, 2, 5, 30, 31, 32, 33, 64, 1024])(
    "to 1e-4 when prefilled in runs of %i tokens",
    async (maxRunTokens) => {
      const policy = await open({ maxRunTokens });
      const reference = await open();
      for (const promptLength of [1, 30, 31, 32, 33, 65]) {
        const context = await policy.createContext();
        context.append(tinyPrompt(promptLength));
        const sample = await context.generate({
          sampling: full(promptLength),
          stopTokenIds: [],
          maxTokens: 40,
        });
        const request = requestFor(context.tokenIds, promptLength, sample);
        for (const scores of [await policy.score(request), await reference.score(request)]) {
          const sampled = scores.behaviorLogProbs.slice(promptLength);
          expect(largestGap(sample.behaviorLogProbs, sampled)).toBeLessThan(1e-4);
          expect(largestGap(sample.entropies, scores.entropies.slice(promptLength))).toBeLessThan(
            1e-4,
          );
        }
        expect(Math.max(...sample.entropies) - Math.min(...sample.entropies)).toBeGreaterThan(0.1);
        context.dispose();
      }
      await policy.dispose();
      await reference.dispose();
    },
  );

  test("under temperature, top-k and top-p, over the recorded kept sets", async () => {
    const policy = await open();
    const sampling = { temperature: 1.7, topK: 12, topP: 0.85, seed: 5 };
    const context = await policy.createContext();
    context.append(tinyPrompt(9));
    const sample = await context.generate({ sampling, stopTokenIds: [], maxTokens: 30 });

    const request = { ...requestFor(context.tokenIds, 9, sample), sampling };
    const scores = await policy.score(request);
    const { keptTokenIds: _, ...withoutSets } = request;
    const recomputed = await policy.score(withoutSets);

    expect(largestGap(sample.behaviorLogProbs, scores.behaviorLogProbs.slice(9))).toBeLessThan(
      1e-4,
    );
    expect(largestGap(sample.rawLogProbs, scores.rawLogProbs.slice(9))).toBeLessThan(1e-4);
    expect(largestGap(sample.behaviorLogProbs, recomputed.behaviorLogProbs.slice(9))).toBeLessThan(
      1e-4,
    );
    for (const [index, kept] of (sample.keptTokenIds ?? []).entries()) {
      expect(kept?.length).toBeLessThanOrEqual(12);
      expect(kept).toContain(sample.tokenIds[index]);
      expect(kept).toEqual([...(kept ?? [])].sort((a, b) => a - b));
    }
    expect(largestGap(sample.behaviorLogProbs, sample.rawLogProbs)).toBeGreaterThan(0.1);
    await policy.dispose();
  });

  test("over several turns that share one cache", async () => {
    const policy = await open({ maxRunTokens: 7 });
    const context = await policy.createContext();
    const recorded = new Map<number, number>();
    for (let turn = 0; turn < 4; turn++) {
      context.append(tinyPrompt(11, turn));
      const start = context.tokenIds.length;
      const sample = await context.generate({
        sampling: full(turn),
        stopTokenIds: [],
        maxTokens: 13,
      });
      for (const [i, logProb] of sample.behaviorLogProbs.entries())
        recorded.set(start + i, logProb);
    }
    const scores = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
    const gap = Math.max(
      ...[...recorded].map(([i, value]) => Math.abs(value - (scores.behaviorLogProbs[i] ?? NaN))),
    );
    expect(recorded.size).toBe(52);
    expect(gap).toBeLessThan(1e-4);
    await policy.dispose();
  });

  test("whether scored alone or in rows of unequal length", async () => {
    const policy = await open();
    const requests = [40, 3, 1, 17, 17, 2].map((length, seed) => ({
      tokenIds: tinyPrompt(length, seed),
      sampling: { temperature: 0.8, topK: 20, topP: 1 },
    }));
    const rows = await policy.scoreMany(requests);
    expect(rows.map((row) => row.behaviorLogProbs.length)).toEqual([40, 3, 1, 17, 17, 2]);
    for (const [index, request] of requests.entries()) {
      const alone = await policy.score(request);
      const row = rows[index] ?? { rawLogProbs: [], entropies: [] };
      expect(largestGap(alone.rawLogProbs, row.rawLogProbs)).toBeLessThan(1e-4);
      expect(largestGap(alone.entropies, row.entropies)).toBeLessThan(1e-4);
    }
    await policy.dispose();
  });
});

describe("sampling", () => {
  test("repeats bit for bit with the same seed and differs with another", async () => {
    const policy = await open();
    const draw = async (seed: number) => {
      const context = await policy.createContext();
      context.append(tinyPrompt(6));
      const sample = await context.generate({
        sampling: full(seed),
        stopTokenIds: [],
        maxTokens: 20,
      });
      context.dispose();
      return sample;
    };
    const first = await draw(3);
    expect(await draw(3)).toEqual(first);
    expect((await draw(4)).tokenIds).not.toEqual(first.tokenIds);
    await policy.dispose();
  });

  test("with top-k 1 takes the most likely token, whose behavior log-prob is 0", async () => {
    const policy = await open();
    const context = await policy.createContext();
    context.append(tinyPrompt(6));
    const sample = await context.generate({
      sampling: { temperature: 1, topK: 1, topP: 1, seed: 9 },
      stopTokenIds: [],
      maxTokens: 8,
    });
    for (const [index, tokenId] of sample.tokenIds.entries()) {
      const prefix = context.tokenIds.slice(0, 6 + index);
      const candidates = await policy.scoreMany(
        Array.from({ length: 97 }, (_, id) => ({
          tokenIds: [...prefix, id],
          sampling: FULL_SUPPORT,
        })),
      );
      const logProbs = candidates.map((scores) => scores.rawLogProbs.at(-1) ?? Number.NaN);
      expect(logProbs.indexOf(Math.max(...logProbs))).toBe(tokenId);
      expect(sample.behaviorLogProbs[index]).toBeCloseTo(0, 6);
    }
    await policy.dispose();
  });

  test("ends with the stop token, which it keeps", async () => {
    const policy = await open();
    const run = async (stopTokenIds: number[]) => {
      const context = await policy.createContext();
      context.append(tinyPrompt(6));
      return context.generate({ sampling: full(3), stopTokenIds, maxTokens: 20 });
    };
    const whole = await run([]);
    const stop = whole.tokenIds[7] as number;
    const first = whole.tokenIds.indexOf(stop);
    const stopped = await run([stop]);
    expect(stopped.tokenIds).toEqual(whole.tokenIds.slice(0, first + 1));
    expect(stopped.stopReason).toBe("stop-token");
    expect(whole.stopReason).toBe("max-tokens");
    await policy.dispose();
  });

  test("stops when the context is full, and samples nothing after that", async () => {
    const policy = await open({ contextLength: 20 });
    const context = await policy.createContext();
    context.append(tinyPrompt(15));
    const options = { sampling: full(1), stopTokenIds: [], maxTokens: 50 };
    const sample = await context.generate(options);
    expect([sample.tokenIds.length, sample.stopReason]).toEqual([5, "context-overflow"]);
    const after = await context.generate(options);
    expect([after.tokenIds.length, after.stopReason]).toEqual([0, "context-overflow"]);
    await policy.dispose();
  });

  test("an abort between tokens keeps the sampled tokens, and the context can continue", async () => {
    const policy = await open();
    const abort = new AbortController();
    const context = await policy.createContext();
    context.append(tinyPrompt(6));
    const seen: number[] = [];
    const sample = await context.generate({
      sampling: full(3),
      stopTokenIds: [],
      maxTokens: 20,
      signal: abort.signal,
      onToken: (id) => {
        seen.push(id);
        if (seen.length === 4) abort.abort();
      },
    });
    expect([sample.tokenIds, sample.stopReason]).toEqual([seen, "aborted"]);
    expect(context.tokenIds.slice(6)).toEqual(seen);
    const next = await context.generate({ sampling: full(4), stopTokenIds: [], maxTokens: 5 });
    const scores = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
    expect(largestGap(next.behaviorLogProbs, scores.behaviorLogProbs.slice(10))).toBeLessThan(1e-4);
    await policy.dispose();
  });

  test.each([1, 3, 32])(
    "contexts created and disposed of while others sample, in runs of %i rows, have scores equal to their records",
    async (maxRows) => {
      const policy = await open({ maxRows });
      const converse = async (seed: number) => {
        const context = await policy.createContext();
        let gap = 0;
        for (let turn = 0; turn < 3; turn++) {
          context.append(tinyPrompt(1 + ((seed * 5 + turn * 3) % 17), seed + turn));
          const start = context.tokenIds.length;
          const sample = await context.generate({
            sampling: full(seed * 10 + turn),
            stopTokenIds: [],
            maxTokens: 1 + ((seed * 7 + turn * 11) % 19),
          });
          const scores = await policy.score({
            tokenIds: context.tokenIds,
            sampling: FULL_SUPPORT,
          });
          gap = Math.max(
            gap,
            largestGap(sample.behaviorLogProbs, scores.behaviorLogProbs.slice(start)),
          );
        }
        if (seed % 2 === 0) context.dispose();
        return gap;
      };
      const gaps = await Promise.all(Array.from({ length: 9 }, (_, seed) => converse(seed)));
      expect(Math.max(...gaps)).toBeLessThan(1e-4);
      await policy.dispose();
    },
  );

  test("contexts that sample concurrently do not affect each other", async () => {
    const policy = await open();
    const draw = async (seed: number) => {
      const context = await policy.createContext();
      context.append(tinyPrompt(6 + seed, seed));
      return context.generate({ sampling: full(seed), stopTokenIds: [], maxTokens: 15 });
    };
    const alone = [];
    for (const seed of [1, 2, 3]) alone.push(await draw(seed));
    const together = await Promise.all([1, 2, 3].map(draw));
    expect(together.map((sample) => sample.tokenIds)).toEqual(alone.map((s) => s.tokenIds));
    await policy.dispose();
  });
});

describe.each(["merge", "inputs"] as const)("adapter swap (%s)", (adapterStrategy) => {
  /** One turn with the base, a swap, one turn after it. Returns the score gap of the second. */
  async function swapInConversation(keepsCacheOnAdoption: boolean): Promise<number> {
    const policy = await open({ adapterStrategy }, { keepsCacheOnAdoption });
    // Keeps the base version alive, and with it its keys and values.
    await policy.createContext();
    const context = await policy.createContext();
    context.append(tinyPrompt(20));
    await context.generate({ sampling: full(1), stopTokenIds: [], maxTokens: 20 });
    await policy.setAdapter(1, tinyAdapter(1));
    context.adoptCurrentVersion();
    context.append(tinyPrompt(10, 3));
    const start = context.tokenIds.length;
    const sample = await context.generate({ sampling: full(2), stopTokenIds: [], maxTokens: 20 });
    const scores = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
    expect(context.policyVersion).toBe(1);
    context.dispose();
    await policy.dispose();
    return largestGap(sample.behaviorLogProbs, scores.behaviorLogProbs.slice(start));
  }

  test("in the middle of a conversation leaves scores equal to the record", async () => {
    expect(await swapInConversation(false)).toBeLessThan(1e-4);
  });

  test("with the old keys and values kept, scores differ from the record", async () => {
    expect(await swapInConversation(true)).toBeGreaterThan(1e-3);
  });

  test("a context in progress keeps its version, which is freed with it", async () => {
    const policy = await open({ adapterStrategy });
    const base = await open();
    await policy.setAdapter(1, tinyAdapter(1));
    const pinned = await policy.createContext();
    pinned.append(tinyPrompt(12));
    const before = await policy.score({ tokenIds: tinyPrompt(30), sampling: FULL_SUPPORT });

    await policy.setAdapter(2, tinyAdapter(2));
    await policy.setAdapter(3, null);
    expect(policy.liveVersions()).toEqual([1, 3]);
    const sample = await pinned.generate({ sampling: full(1), stopTokenIds: [], maxTokens: 12 });
    expect(pinned.policyVersion).toBe(1);

    const atBase = await policy.score({ tokenIds: tinyPrompt(30), sampling: FULL_SUPPORT });
    const ofBase = await base.score({ tokenIds: tinyPrompt(30), sampling: FULL_SUPPORT });
    expect(largestGap(atBase.rawLogProbs, ofBase.rawLogProbs)).toBeLessThan(1e-5);
    expect(largestGap(atBase.rawLogProbs, before.rawLogProbs)).toBeGreaterThan(1e-2);

    const again = await open();
    await again.setAdapter(1, tinyAdapter(1));
    const scores = await again.score({ tokenIds: pinned.tokenIds, sampling: FULL_SUPPORT });
    expect(largestGap(sample.behaviorLogProbs, scores.behaviorLogProbs.slice(12))).toBeLessThan(
      1e-4,
    );

    pinned.dispose();
    await policy.scheduler.operate(() => undefined);
    await policy.scheduler.operate(() => undefined);
    expect(policy.liveVersions()).toEqual([3]);
    for (const each of [policy, base, again]) await each.dispose();
  });

  test("an adapter of another shape is refused and changes nothing", async () => {
    const policy = await open({ adapterStrategy });
    const adapter = tinyAdapter(1);
    const tensors = new Map([...adapter.tensors].slice(1));
    const error = await policy.setAdapter(1, { ...adapter, tensors }).catch((e: unknown) => e);
    expect(WaggleError.is(error, "ADAPTER_INCOMPATIBLE")).toBe(true);
    expect(policy.currentVersion).toBe(0);
    expect(policy.liveVersions()).toEqual([0]);
    await policy.dispose();
  });
});

test("adapters of larger rank than the shared graph's get a larger graph", async () => {
  const shared = await open({ adapterStrategy: "inputs" });
  const merged = await open({ adapterStrategy: "merge" });
  const request = { tokenIds: tinyPrompt(30), sampling: FULL_SUPPORT };
  for (const [version, rank] of [
    [1, 4],
    [2, 24],
    [3, 8],
  ] as const) {
    await shared.setAdapter(version, tinyAdapter(version, rank));
    await merged.setAdapter(version, tinyAdapter(version, rank));
    const gap = largestGap(
      (await shared.score(request)).rawLogProbs,
      (await merged.score(request)).rawLogProbs,
    );
    expect(gap).toBeLessThan(1e-4);
  }
  await shared.dispose();
  await merged.dispose();
});

test("f16, which CPUs do not support here, falls back to f32, and the record says so", async () => {
  const policy = await open({ dtype: "f16" });
  const context = await policy.createContext();
  context.append(tinyPrompt(5));
  const sample = await context.generate({ sampling: full(1), stopTokenIds: [], maxTokens: 2 });
  expect(sample.fingerprint).toMatch(/ f32; version 0$/);
  await policy.dispose();
});
