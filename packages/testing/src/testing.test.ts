import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test } from "vitest";
import { ByteTokenizer } from "./byte-tokenizer.ts";
import { ScriptedPolicy } from "./scripted-policy.ts";
import { toBeAllClose } from "./to-be-all-close.ts";
import { TOLERANCE } from "./tolerance.ts";

expect.extend({ toBeAllClose });

const sampling = { ...FULL_SUPPORT, seed: 1 };

test("toBeAllClose accepts what is close and names what is not", () => {
  expect([1, 2]).toBeAllClose([1 + 1e-7, 2]);
  expect([1, 2]).not.toBeAllClose([1, 2.001]);
  expect([Infinity]).toBeAllClose([Infinity]);
  expect([Number.NaN]).not.toBeAllClose([Number.NaN]);
  expect(toBeAllClose([1, 2, 3], [1, 2.5, 7], TOLERANCE.f64).message()).toBe(
    "expected all of 3 numbers to be within 1e-12 + 1e-12·|expected|; 2 are not, " +
      "first [1]: got 2, expected 2.5; largest error 4 at [2]: got 3, expected 7",
  );
  expect(toBeAllClose([1], [1, 2]).message()).toBe("expected 2 numbers, got 1");
});

test("the byte tokenizer knows its special tokens only in templates", () => {
  const tokenizer = new ByteTokenizer();
  const end = tokenizer.specialTokenId("<|im_end|>");
  expect(tokenizer.encodeTemplate("é<|im_end|>x")).toEqual([0xc3, 0xa9, end, 120]);
  expect(tokenizer.encode("<|im_end|>")).not.toContain(end);
  expect(tokenizer.decode([0xc3, 0xa9, end!, 5000])).toBe("é<|im_end|>");
  expect(tokenizer.decode([120, end!], { skipSpecialTokens: true })).toBe("x");
});

test("a scripted turn ends at the stop token, the limit, the context or the abort", async () => {
  const abort = new AbortController();
  const policy = new ScriptedPolicy({
    turns: [[1, 2, 9, 3], [1, 2, 3], [1, 2, 3], (context) => [context.length]],
    contextLength: 7,
    beforeToken: (index) => {
      if (policy.contexts[0]?.samples.length === 3 && index === 1) abort.abort();
    },
  });
  const context = await policy.createContext();
  const options = { sampling, stopTokenIds: [9], maxTokens: 2, signal: abort.signal };
  context.append([7]);
  expect(await context.generate({ ...options, maxTokens: 5 })).toMatchObject({
    tokenIds: [1, 2, 9],
    stopReason: "stop-token",
  });
  expect(await context.generate(options)).toMatchObject({ stopReason: "max-tokens" });
  expect(await context.generate(options)).toMatchObject({ tokenIds: [1], stopReason: "aborted" });
  expect(await context.generate({ sampling, stopTokenIds: [9], maxTokens: 2 })).toMatchObject({
    tokenIds: [],
    stopReason: "context-overflow",
  });
  expect(policy.contexts[0]?.tokenIds).toEqual([7, 1, 2, 9, 1, 2, 1]);
});

test("recorded log-probs are the scored ones at the version that sampled", async () => {
  const policy = new ScriptedPolicy({ turns: [[4, 5, 6]], version: 3 });
  const context = await policy.createContext();
  context.append([1, 2]);
  const sample = await context.generate({ sampling, stopTokenIds: [6], maxTokens: 9 });
  const request = { tokenIds: context.tokenIds, sampling };
  expect((await policy.score(request)).behaviorLogProbs.slice(2)).toEqual(sample.behaviorLogProbs);
  policy.currentVersion = 4;
  expect((await policy.score(request)).behaviorLogProbs.slice(2)).not.toEqual(
    sample.behaviorLogProbs,
  );
  expect(context.policyVersion).toBe(3);
});

test("forks and groups take the tokens with them, and shared tokens are read once", async () => {
  const policy = new ScriptedPolicy({ turns: [[8, 9], [5, 9], [6, 9], [7]] });
  const session = await policy.createContext();
  session.append([1, 2, 3]);
  const options = { sampling, stopTokenIds: [9], maxTokens: 5 };
  await session.generate(options);
  expect(policy.readTokens).toBe(3);
  const fork = await session.fork({ at: 2 });
  fork.append([4, 4]);
  const members = await fork.group(2);
  expect(policy.readTokens).toBe(5);
  for (const member of members) await member.generate(options);
  expect(policy.readTokens).toBe(5);
  expect(members.map((member) => member.tokenIds)).toEqual([
    [1, 2, 4, 4, 5, 9],
    [1, 2, 4, 4, 6, 9],
  ]);
  // Its last token was sampled and not read yet.
  session.append([3]);
  await session.generate(options);
  expect(policy.readTokens).toBe(7);
  await expect(session.fork({ at: 99 })).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});

test("a snapshot restores tokens and adapter, which must be resident", async () => {
  const policy = new ScriptedPolicy({ turns: [] });
  const session = await policy.createContext();
  session.append([1, 2]);
  expect(() => session.activate("a")).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
  await policy.loadAdapter("a", null);
  session.activate("a", { scale: 0.5 });
  const restored = await policy.restore(session.snapshot());
  expect(restored.snapshot()).toEqual(session.snapshot());
  await policy.unloadAdapter("a");
  await expect(policy.restore(session.snapshot())).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});

test("a sample past the script and a use after dispose are refused", async () => {
  const policy = new ScriptedPolicy({ turns: [] });
  const context = await policy.createContext();
  await expect(
    context.generate({ sampling, stopTokenIds: [], maxTokens: 1 }),
  ).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
  context.dispose();
  expect(() => context.append([1])).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});
