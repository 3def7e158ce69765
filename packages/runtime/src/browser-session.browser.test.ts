import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import { createBrowserPolicy } from "./browser-policy.ts";
import type { BrowserPolicyOptions } from "./browser-policy.ts";
import {
  TINY_BASE_MODEL,
  tinyAdapter,
  tinyModelFiles,
  tinyPrompt,
} from "./tiny-decoder.fixture.ts";

const open = (options: Partial<BrowserPolicyOptions> = {}) =>
  createBrowserPolicy({
    modelFiles: tinyModelFiles(1, 2000),
    baseModel: TINY_BASE_MODEL,
    device: "wasm",
    ...options,
  });

const sampled = (seed: number, maxTokens: number) => ({
  sampling: { ...FULL_SUPPORT, seed },
  stopTokenIds: [],
  maxTokens,
});

const gap = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((value, index) => Math.abs(value - (b[index] ?? Number.NaN))));

/** Workers that can be killed: silently, as when out of memory, or with an error event. */
function mortalWorkers() {
  const workers: Worker[] = [];
  return {
    workers,
    createWorker: () => {
      // Vite serves this form as a worker; the test runner leaves it alone.
      const worker = new Worker(new URL("./worker/wasm.ts", import.meta.url), { type: "module" });
      workers.push(worker);
      return worker;
    },
    kill: (manner: "silently" | "with an error") => {
      const worker = workers.at(-1);
      worker?.terminate();
      if (manner === "with an error") worker?.dispatchEvent(new ErrorEvent("error"));
    },
  };
}

test("branches, groups, scores, adapters and snapshots work through the worker", async () => {
  const policy = await open();
  await policy.loadAdapter("mine", tinyAdapter(3));
  const session = await policy.createContext();
  session.append(tinyPrompt(40));
  const first = await session.generate(sampled(1, 12));
  expect(session.tokenIds).toEqual([...tinyPrompt(40), ...first.tokenIds]);
  expect(first.fingerprint).toMatch(
    /^0\.1\.0 wasm wasm x1 waggle\/\S+ wasm simd \w+ f32; version 0$/,
  );

  const fork = await session.fork({ at: 40 });
  expect((await fork.generate(sampled(1, 12))).tokenIds).toEqual(first.tokenIds);
  const group = await session.group(3);
  const members = await Promise.all(group.map((each) => each.generate(sampled(5, 6))));
  for (const each of members) expect(each.tokenIds).toEqual(members[0]?.tokenIds);
  const scores = await session.score({ sampling: FULL_SUPPORT });
  expect(gap(first.behaviorLogProbs, scores.behaviorLogProbs.slice(40))).toBeLessThan(1e-4);

  fork.activate("mine", { scale: 0.5 });
  const adapted = await fork.generate(sampled(2, 8));
  expect(adapted.fingerprint).toMatch(/adapter mine x0\.5$/);
  const restored = await policy.restore(JSON.parse(JSON.stringify(fork.snapshot())));
  expect(restored.tokenIds).toEqual(fork.tokenIds);
  const own = await fork.score({ sampling: FULL_SUPPORT });
  expect(await restored.score({ sampling: FULL_SUPPORT })).toEqual(own);
  expect(gap(adapted.behaviorLogProbs, own.behaviorLogProbs.slice(52))).toBeLessThan(1e-4);

  const reason = new Error("enough");
  const aborted = { signal: AbortSignal.abort(reason) };
  await expect(session.fork(aborted)).rejects.toBe(reason);
  const abort = new AbortController();
  const many = Array.from({ length: 200 }, () => ({
    tokenIds: tinyPrompt(400),
    sampling: FULL_SUPPORT,
  }));
  const scoring = policy.scoreMany(many, abort);
  setTimeout(() => abort.abort(reason), 5);
  await expect(scoring).rejects.toBe(reason);
  await policy.unloadAdapter("mine");
  expect(() => session.activate("mine")).toThrow(/no adapter "mine"/);
  await policy.dispose();
});

test("the record of a session grows during generation, and a branch sees it", async () => {
  const policy = await open();
  const session = await policy.createContext();
  session.append(tinyPrompt(5));
  const running = session.generate(sampled(1, 1500));
  while (session.tokenIds.length < 200) await new Promise((done) => setTimeout(done, 5));
  const fork = await session.fork();
  const whole = await running;
  expect(fork.tokenIds.length).toBeGreaterThanOrEqual(200);
  expect(fork.tokenIds).toEqual(session.tokenIds.slice(0, fork.tokenIds.length));
  expect(whole.tokenIds).toHaveLength(1500);
  await policy.dispose();
});

describe("a worker that dies", () => {
  test.each(["silently", "with an error"] as const)(
    "%s, is replaced: the generation continues with the same tokens",
    async (manner) => {
      // The worker dies at the hundredth token.
      const tokens = sampleSize(200, 900);
      const undisturbed = await open();
      const expected = await undisturbed.createContext();
      expected.append(tinyPrompt(20));
      const first = await expected.generate(sampled(1, 10));
      await undisturbed.setAdapter(1, tinyAdapter(1));
      const other = await undisturbed.createContext();
      other.append(tinyPrompt(9));
      const [whole, others] = await Promise.all([
        expected.generate(sampled(2, tokens)),
        other.generate(sampled(3, tokens)),
      ]);

      const mortal = mortalWorkers();
      const policy = await open({ createWorker: mortal.createWorker });
      const session = await policy.createContext();
      session.append(tinyPrompt(20));
      await session.generate(sampled(1, 10));
      await policy.setAdapter(1, tinyAdapter(1));
      const late = await policy.createContext();
      late.append(tinyPrompt(9));
      const seen: number[] = [];
      const [again, lates] = await Promise.all([
        session.generate({
          ...sampled(2, tokens),
          onToken: (id) => {
            if (seen.push(id) === 100) mortal.kill(manner);
          },
        }),
        late.generate(sampled(3, tokens)),
      ]);
      expect(mortal.workers).toHaveLength(2);
      expect(again.tokenIds).toEqual(whole.tokenIds);
      expect(gap(again.behaviorLogProbs, whole.behaviorLogProbs)).toBeLessThan(1e-4);
      expect(lates.tokenIds).toEqual(others.tokenIds);
      expect(seen).toEqual(whole.tokenIds);
      expect(session.tokenIds).toEqual([...tinyPrompt(20), ...first.tokenIds, ...seen]);
      expect([session.policyVersion, late.policyVersion, policy.currentVersion]).toEqual([0, 1, 1]);
      await undisturbed.dispose();
      await policy.dispose();
    },
  );

  test("between two calls goes unnoticed", async () => {
    const mortal = mortalWorkers();
    const policy = await open({ createWorker: mortal.createWorker });
    const session = await policy.createContext();
    session.append(tinyPrompt(20));
    const first = await session.generate(sampled(1, 10));
    mortal.kill("with an error");
    const scores = await session.score({ sampling: FULL_SUPPORT });
    expect(gap(first.behaviorLogProbs, scores.behaviorLogProbs.slice(20))).toBeLessThan(1e-4);
    await policy.dispose();
  });

  test("repeatedly is a retryable error, and the session continues afterwards", async () => {
    const mortal = mortalWorkers();
    const policy = await open({ createWorker: mortal.createWorker });
    const session = await policy.createContext();
    session.append(tinyPrompt(20));
    let dead = 0;
    const watch = setInterval(() => {
      if (mortal.workers.length > dead && session.tokenIds.length > 20) {
        dead = mortal.workers.length;
        mortal.kill("with an error");
      }
    }, 1);
    const error = await session.generate(sampled(1, 1900)).catch((e: unknown) => e);
    clearInterval(watch);
    expect(WaggleError.is(error, "DEVICE_LOST") && error.retryable).toBe(true);
    expect(mortal.workers).toHaveLength(3);
    const before = session.tokenIds.length;
    const next = await session.generate(sampled(2, 10));
    const scores = await session.score({ sampling: FULL_SUPPORT });
    expect(gap(next.behaviorLogProbs, scores.behaviorLogProbs.slice(before))).toBeLessThan(1e-4);
    await policy.dispose();
  });
});
