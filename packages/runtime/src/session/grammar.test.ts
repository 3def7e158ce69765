import { FULL_SUPPORT, WaggleError } from "@waggle/protocol";
import type { GrammarSpec, Sample } from "@waggle/protocol";
import {
  createTokenizer,
  NANO_SPECIAL_TOKENS,
  nanoTokenizerConfig,
  trainByteLevelBpe,
} from "@waggle/text";
import { describe, expect, test } from "vitest";
import { hashPrompt, openHashPolicy, sampled } from "./hash-policy.fixture.ts";
import { openGrammars } from "./open-grammars.ts";

const tokenizerJson = trainByteLevelBpe(["the name is the name, the number is 12 or 345"], {
  vocabularySize: 270,
  specialTokens: NANO_SPECIAL_TOKENS,
});
const tokenizerConfig = nanoTokenizerConfig(512);
const tokenizer = createTokenizer({ tokenizerJson, tokenizerConfig });
const STOP = tokenizer.specialTokenId("<|im_end|>") as number;
const file = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const files = new Map([
  ["tokenizer.json", file(tokenizerJson)],
  ["tokenizer_config.json", file(tokenizerConfig)],
]);
const VOCABULARY = 288;
const SCHEMA: GrammarSpec = {
  kind: "json-schema",
  schema: {
    type: "object",
    properties: { name: { type: "string", maxLength: 12 }, n: { type: "integer" } },
    required: ["name", "n"],
    additionalProperties: false,
  },
};

const open = (backend = {}) =>
  openHashPolicy(
    { vocabularySize: VOCABULARY, ...backend },
    {
      vocabularySize: VOCABULARY,
      openGrammars: () => openGrammars(files, VOCABULARY),
    },
  );

const constrained = (seed: number, more = {}) => ({
  ...sampled(seed, 60),
  sampling: { ...FULL_SUPPORT, seed, ...more },
  stopTokenIds: [STOP],
  grammar: SCHEMA,
});

const textOf = (sample: Sample) => tokenizer.decode(sample.tokenIds.filter((id) => id !== STOP));

describe("a grammar", () => {
  test("allows only texts of its language, within the budget, in many concurrent sessions", async () => {
    const { policy } = await open();
    await Promise.all(
      Array.from({ length: 12 }, async (_, seed) => {
        const session = await policy.createContext();
        session.append(hashPrompt(9, seed));
        const sample = await session.generate(constrained(seed));
        expect(JSON.parse(textOf(sample))).toEqual({
          name: expect.any(String),
          n: expect.any(Number),
        });
        expect(sample).toMatchObject({ stopReason: "stop-token", tokenBudget: 60 });
        expect(sample.grammar).toMatch(/^[0-9a-f]{64}$/);
        expect(sample.keptTokenIds).toBeUndefined();
      }),
    );
    await policy.dispose();
  });

  test.each([{}, { topK: 7, temperature: 1.3 }, { topP: 0.8 }])(
    "gives the same log-probs when replayed over the record (%o)",
    async (more) => {
      const { policy } = await open();
      const session = await policy.createContext();
      session.append(hashPrompt(9));
      const { sampling, ...options } = constrained(3, more);
      const sample = await session.generate({ ...options, sampling });
      const { tokenIds } = session;
      const span = { spec: SCHEMA, start: 9, end: tokenIds.length, tokenBudget: 60 };
      const kept = sample.keptTokenIds && {
        keptTokenIds: [...hashPrompt(9).map(() => null), ...sample.keptTokenIds],
      };
      const request = { tokenIds, sampling, ...kept };
      const scores = await policy.score({ ...request, grammars: [span] });
      const gap = (of: { behaviorLogProbs: readonly number[] }) =>
        Math.max(
          ...sample.behaviorLogProbs.map((value, i) =>
            Math.abs(value - (of.behaviorLogProbs[9 + i] ?? Number.NaN)),
          ),
        );
      expect(gap(scores)).toBeLessThan(1e-9);
      expect(await session.score({ sampling, ...kept, grammars: [span] })).toEqual(scores);
      // Without it the distribution differs.
      expect(gap(await policy.score(request))).toBeGreaterThan(0.1);
      await policy.dispose();
    },
  );

  test("is replayed with the budget that forced its end", async () => {
    const { policy } = await open();
    const session = await policy.createContext();
    session.append([7]);
    const spec: GrammarSpec = { kind: "regex", pattern: "[a-z]{0,40}" };
    const sample = await session.generate({ ...constrained(2), grammar: spec, maxTokens: 5 });
    expect(sample.tokenIds).toHaveLength(5);
    expect(sample.behaviorLogProbs[4]).toBe(0);
    const request = { tokenIds: session.tokenIds, sampling: FULL_SUPPORT };
    const lastAt = async (tokenBudget: number) => {
      const grammars = [{ spec, start: 1, end: 6, tokenBudget }];
      return (await policy.score({ ...request, grammars })).behaviorLogProbs[5];
    };
    expect(await lastAt(5)).toBe(0);
    expect(await lastAt(6)).toBeLessThan(-0.5);
    await policy.dispose();
  });

  test("is part of the record: forbidden tokens and missing kept sets are refused", async () => {
    const { policy } = await open();
    const span = { spec: SCHEMA, start: 4, end: 8, tokenBudget: 60 };
    const request = { tokenIds: hashPrompt(8), sampling: FULL_SUPPORT, grammars: [span] };
    for (const bad of [
      request,
      { ...request, sampling: { ...FULL_SUPPORT, topK: 5 } },
      { ...request, grammars: [{ ...span, start: 0 }] },
      { ...request, grammars: [{ ...span, end: 9 }] },
    ]) {
      await expect(policy.score(bad)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
    }
    await policy.dispose();
  });

  test("that cannot end within the budget only ends its own generation", async () => {
    const { policy } = await open();
    const [tight, free] = [await policy.createContext(), await policy.createContext()];
    tight.append([1]);
    free.append([2]);
    const [refused, sample] = await Promise.allSettled([
      tight.generate({ ...constrained(1), maxTokens: 3 }),
      free.generate(sampled(2, 30)),
    ]);
    expect(refused).toMatchObject({ reason: { code: "INVALID_ARGUMENT" } });
    expect(sample).toMatchObject({ value: { stopReason: "max-tokens" } });
    expect((await tight.generate(constrained(1))).stopReason).toBe("stop-token");
    await policy.dispose();
  });

  test("gives the same tokens after a lost device", async () => {
    const lost = () => new WaggleError("DEVICE_LOST", "gone", { retryable: true });
    let runs = 0;
    const samples = [];
    for (const failure of [() => null, () => (++runs === 7 ? lost() : null)]) {
      const { policy } = await open({ failure });
      const session = await policy.createContext();
      session.append(hashPrompt(5));
      samples.push(await session.generate(constrained(8)));
      await policy.dispose();
    }
    expect(samples[1]).toEqual(samples[0]);
  });

  test("needs a tokenizer and must be supported", async () => {
    const { policy } = await openHashPolicy();
    const session = await policy.createContext();
    session.append([1]);
    await expect(session.generate(constrained(1))).rejects.toMatchObject({
      code: "CAPABILITY_MISSING",
    });
    await policy.dispose();
    const { policy: able } = await open();
    const other = await able.createContext();
    other.append([1]);
    const grammar: GrammarSpec = { kind: "regex", pattern: "(a)\\1" };
    const bad = other.generate({ ...constrained(1), grammar });
    await expect(bad).rejects.toMatchObject({ code: "GRAMMAR_UNSUPPORTED" });
    expect((await other.generate(constrained(1))).stopReason).toBe("stop-token");
    await able.dispose();
  });
});
