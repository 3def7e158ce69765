import { expect, test } from "vitest";
import { defaultThreads, runTokensFor } from "./limits.ts";
import { TINY_CONFIG } from "./tiny-decoder.fixture.ts";

test("small models get one thread, others what is offered, at most 4", () => {
  expect(defaultThreads(3e6, 8)).toBe(1);
  expect([1, 2, 8].map((offered) => defaultThreads(6e7, offered))).toEqual([1, 2, 4]);
});

test("a run's logits stay within 32 MB and its scores within 64, but never below 16 tokens", () => {
  for (const vocabularySize of [1000, 32_000, 152_000]) {
    const tokens = runTokensFor({ ...TINY_CONFIG, vocabularySize }, 160);
    expect(tokens * vocabularySize * 4).toBeLessThanOrEqual(32 * 1024 * 1024);
    expect(tokens).toBeGreaterThanOrEqual(16);
  }
  const many = runTokensFor({ ...TINY_CONFIG, heads: 32 }, 8192);
  expect(many * 32 * 8192 * 4).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(runTokensFor({ ...TINY_CONFIG, vocabularySize: 5e6 }, 160)).toBe(16);
});
