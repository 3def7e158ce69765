import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import { describe, expect, test } from "vitest";
import { TINY_BASE_MODEL, TINY_CONFIG, tinyPrompt, tinyWeights } from "../tiny-decoder.fixture.ts";
import { createNodePolicy, createScheduledNodePolicy } from "./node-policy.ts";

const open = () =>
  createScheduledNodePolicy(
    { config: TINY_CONFIG, weights: tinyWeights(), baseModel: TINY_BASE_MODEL, threads: 1 },
    {},
  );

const full = (seed: number) => ({ ...FULL_SUPPORT, seed });

describe("misuse", () => {
  const options = { sampling: full(1), stopTokenIds: [], maxTokens: 5 };
  const codeOf = async (fn: () => unknown): Promise<string> => {
    try {
      await fn();
    } catch (error) {
      return WaggleError.is(error) ? error.code : String(error);
    }
    return "nothing thrown";
  };

  test("is refused by code", async () => {
    const policy = await open();
    const context = await policy.createContext();
    expect(await codeOf(() => context.generate(options))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => context.append([97]))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => context.append([1.5]))).toBe("INVALID_ARGUMENT");
    context.append(tinyPrompt(5));
    expect(await codeOf(() => context.generate({ ...options, maxTokens: 0 }))).toBe(
      "INVALID_ARGUMENT",
    );
    const zero = { ...options.sampling, temperature: 0 };
    expect(await codeOf(() => context.generate({ ...options, sampling: zero }))).toBe(
      "INVALID_ARGUMENT",
    );
    const tokenIds = tinyPrompt(161);
    expect(await codeOf(() => policy.score({ tokenIds, sampling: FULL_SUPPORT }))).toBe(
      "CONTEXT_OVERFLOW",
    );
    await policy.dispose();
  });

  test("a context beyond the model's positions is refused before anything is computed", async () => {
    const options = { config: TINY_CONFIG, weights: tinyWeights(), baseModel: TINY_BASE_MODEL };
    const opening = () => createNodePolicy({ ...options, contextLength: 161 });
    expect(await codeOf(opening)).toBe("INVALID_ARGUMENT");
    await (await createNodePolicy({ ...options, contextLength: 160 })).dispose();
  });

  test("overlapping calls on one context are refused, and the first is not affected", async () => {
    const policy = await open();
    const context = await policy.createContext();
    context.append(tinyPrompt(5));
    const running = context.generate(options);
    expect(await codeOf(() => context.generate(options))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => context.append([1]))).toBe("INVALID_ARGUMENT");
    expect(await codeOf(() => context.adoptCurrentVersion())).toBe("INVALID_ARGUMENT");
    expect((await running).tokenIds).toHaveLength(5);
    await policy.dispose();
  });

  test("disposed contexts and policies throw DISPOSED, also from sampling in progress", async () => {
    const policy = await open();
    const context = await policy.createContext();
    context.append(tinyPrompt(5));
    const running = codeOf(() => context.generate(options));
    context.dispose();
    context.dispose();
    expect(await running).toBe("DISPOSED");
    expect(await codeOf(() => context.append([1]))).toBe("DISPOSED");
    await policy.dispose();
    await policy.dispose();
    expect(policy.liveVersions()).toEqual([]);
    expect(await codeOf(() => policy.createContext())).toBe("DISPOSED");
    expect(await codeOf(() => policy.setAdapter(1, null))).toBe("DISPOSED");
    expect(await codeOf(() => policy.score({ tokenIds: [1, 2], sampling: FULL_SUPPORT }))).toBe(
      "DISPOSED",
    );
  });
});
