import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import { contextLengthFor, defaultThreads, runScoresFor, runTokensFor } from "./limits.ts";
import { TINY_CONFIG } from "./tiny-decoder.fixture.ts";

test("small models get one thread, others the offered threads up to 4", () => {
  expect(defaultThreads(3e6, 8)).toBe(1);
  expect([1, 2, 8].map((offered) => defaultThreads(6e7, offered))).toEqual([1, 2, 4]);
});

test("a run's logits stay within 32 MB and its scores within 64, but never below 16 tokens", () => {
  for (const vocabularySize of [1000, 32_000, 152_000]) {
    const config = { ...TINY_CONFIG, vocabularySize };
    const scored = runScoresFor(config);
    expect(scored * vocabularySize * 4).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(scored).toBeGreaterThanOrEqual(16);
    // Reading without scoring needs no logits, so prompts of large vocabularies use long runs.
    expect(runTokensFor(config, 160)).toBe(1024);
  }
  const many = runTokensFor({ ...TINY_CONFIG, heads: 32 }, 8192);
  expect(many * 32 * 8192 * 4).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(runTokensFor({ ...TINY_CONFIG, heads: 1024 }, 8192)).toBe(16);
  expect(runScoresFor({ ...TINY_CONFIG, vocabularySize: 5e6 })).toBe(16);
});

test("a context is at most the model's positions, and by default at most 8192", () => {
  const long = { ...TINY_CONFIG, contextLength: 40_960 };
  expect(contextLengthFor(long)).toBe(8192);
  expect(contextLengthFor(long, null)).toBe(8192);
  expect(contextLengthFor(long, 40_960)).toBe(40_960);
  expect(contextLengthFor(TINY_CONFIG)).toBe(160);
  for (const asked of [40_961, 0, -1, 1.5, Number.NaN]) {
    expect(() => contextLengthFor(long, asked)).toThrow(WaggleError);
    expect(() => contextLengthFor(long, asked)).toThrow(/supports 1 to 40960 positions/);
  }
});
