import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { createBrowserPolicy } from "./browser-policy.ts";
import type { BrowserPolicyOptions } from "./browser-policy.ts";
import {
  TINY_BASE_MODEL,
  tinyAdapter,
  tinyModelFiles,
  tinyPrompt,
} from "./tiny-decoder.fixture.ts";

const open = (options: Partial<BrowserPolicyOptions>) =>
  createBrowserPolicy({ modelFiles: tinyModelFiles(), baseModel: TINY_BASE_MODEL, ...options });

const full = (seed: number) => ({ ...FULL_SUPPORT, seed });

const largestGap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

describe("in a worker", () => {
  // WebGPU has its test below, and its numbers have `agreement`.
  test.runIf(isLong())(
    "WASM and WebGPU give the same log-probs at prefill lengths around every block",
    async () => {
      const wasm = await open({ device: "wasm" });
      // Fails without an adapter, because skipping would hide that WebGPU was not tested.
      const webgpu = await open({ device: "webgpu" });
      expect(webgpu.client).toMatchObject({ backend: "webgpu", device: "google/swiftshader" });
      for (const length of [2, 16, 17, 30, 31, 32, 33, 34, 63, 64, 65, 100]) {
        const request = { tokenIds: tinyPrompt(length, length), sampling: FULL_SUPPORT };
        const [onWasm, onWebgpu] = await Promise.all([wasm.score(request), webgpu.score(request)]);
        expect(largestGap(onWasm.rawLogProbs, onWebgpu.rawLogProbs)).toBeLessThan(1e-4);
        expect(largestGap(onWasm.entropies, onWebgpu.entropies)).toBeLessThan(1e-4);
        expect(Math.min(...onWasm.rawLogProbs)).toBeLessThan(-1);
      }
      await Promise.all([wasm.dispose(), webgpu.dispose()]);
    },
  );

  test.each([
    ["wasm", "merge"],
    ["wasm", "inputs"],
    ["webgpu", "inputs"],
  ] as const)(
    "%s with adapters by %s: scores equal the records over turns and a swap",
    async (device, adapterStrategy) => {
      const policy = await open({ device, adapterStrategy });
      const pinned = await policy.createContext();
      const context = await policy.createContext();
      context.append(tinyPrompt(33));
      pinned.append(tinyPrompt(33));
      const options = { sampling: full(1), stopTokenIds: [], maxTokens: 12 };
      const first = await context.generate(options);
      const scores = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
      expect(largestGap(first.behaviorLogProbs, scores.behaviorLogProbs.slice(33))).toBeLessThan(
        1e-4,
      );

      await policy.setAdapter(1, tinyAdapter(1));
      context.adoptCurrentVersion();
      context.append(tinyPrompt(9, 3));
      const start = context.tokenIds.length;
      const second = await context.generate({ ...options, sampling: full(2) });
      expect([policy.currentVersion, context.policyVersion, pinned.policyVersion]).toEqual([
        1, 1, 0,
      ]);
      const swapped = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
      const gap = largestGap(second.behaviorLogProbs, swapped.behaviorLogProbs.slice(start));
      expect(gap).toBeLessThan(1e-4);
      expect(
        largestGap(first.behaviorLogProbs, swapped.behaviorLogProbs.slice(33)),
      ).toBeGreaterThan(1e-3);

      const ofBase = await pinned.generate(options);
      expect(ofBase.tokenIds).toEqual(first.tokenIds);
      expect(largestGap(ofBase.behaviorLogProbs, first.behaviorLogProbs)).toBeLessThan(1e-5);
      await policy.dispose();
    },
  );

  test("token deltas arrive in order, and an abort between tokens ends the generation", async () => {
    const policy = await open({ device: "wasm", modelFiles: tinyModelFiles(1, 8000) });
    const context = await policy.createContext();
    context.append(tinyPrompt(5));
    const abort = new AbortController();
    const seen: number[] = [];
    const sample = await context.generate({
      sampling: full(1),
      stopTokenIds: [],
      maxTokens: 7000,
      signal: abort.signal,
      onToken: (id) => {
        seen.push(id);
        if (seen.length === 3) abort.abort();
      },
    });
    expect(sample.stopReason).toBe("aborted");
    expect(sample.tokenIds).toEqual(seen);
    expect(sample.tokenIds.length).toBeLessThan(3000);
    expect(context.tokenIds.slice(5)).toEqual(seen);
    const next = await context.generate({ sampling: full(2), stopTokenIds: [], maxTokens: 4 });
    expect(next.tokenIds).toHaveLength(4);
    await policy.dispose();
  });

  test("a context beyond the model's positions is refused", async () => {
    const opening = open({ device: "wasm", contextLength: 161 });
    await expect(opening).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    const closed = await opening.catch((error: unknown) => String(error));
    expect(closed).toMatch(/contextLength is 161.*1 to 160 positions/);
  });

  test("contexts that sample concurrently on WASM have scores equal to their records", async () => {
    const policy = await open({ device: "wasm" });
    const gaps = await Promise.all(
      Array.from({ length: 5 }, async (_, seed) => {
        const context = await policy.createContext();
        context.append(tinyPrompt(4 + 9 * seed, seed));
        const start = context.tokenIds.length;
        const maxTokens = 10 + 7 * seed;
        const sample = await context.generate({
          sampling: full(seed),
          stopTokenIds: [],
          maxTokens,
        });
        const scores = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
        return largestGap(sample.behaviorLogProbs, scores.behaviorLogProbs.slice(start));
      }),
    );
    expect(Math.max(...gaps)).toBeLessThan(1e-4);
    await policy.dispose();
  });

  test("auto prefers WASM to a software adapter, and reports the number of threads", async () => {
    const policy = await open({ device: "auto", threads: 2 });
    expect(policy.client).toMatchObject({
      backend: "wasm",
      device: "wasm x2",
      crossOriginIsolated: true,
    });
    await policy.dispose();
  });

  test("two threads and one give the same tokens", async () => {
    const samples = [];
    for (const threads of [1, 2]) {
      const policy = await open({ device: "wasm", threads });
      const context = await policy.createContext();
      context.append(tinyPrompt(20));
      samples.push(await context.generate({ sampling: full(5), stopTokenIds: [], maxTokens: 30 }));
      await policy.dispose();
    }
    expect(samples[0]?.tokenIds).toEqual(samples[1]?.tokenIds);
  });

  test("errors in the worker keep their codes", async () => {
    const broken = tinyModelFiles();
    broken.set("model.safetensors", new Uint8Array(64));
    const codeOf = async (promise: Promise<unknown>) =>
      promise.then(
        () => "nothing thrown",
        (error: unknown) => (WaggleError.is(error) ? error.code : String(error)),
      );
    expect(await codeOf(open({ device: "wasm", modelFiles: broken }))).toBe("MODEL_CORRUPT");

    const policy = await open({ device: "wasm" });
    const adapter = tinyAdapter(1);
    const tensors = new Map([...adapter.tensors].slice(1));
    expect(await codeOf(policy.setAdapter(1, { ...adapter, tensors }))).toBe(
      "ADAPTER_INCOMPATIBLE",
    );
    const context = await policy.createContext();
    context.append(tinyPrompt(5));
    const running = codeOf(
      context.generate({ sampling: full(1), stopTokenIds: [], maxTokens: 100 }),
    );
    context.dispose();
    expect(await running).toBe("DISPOSED");
    expect(await codeOf((async () => context.append([1]))())).toBe("DISPOSED");
    await policy.dispose();
    expect(await codeOf(policy.createContext())).toBe("DISPOSED");
  });
});
