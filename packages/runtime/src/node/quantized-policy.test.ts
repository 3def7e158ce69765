import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test } from "vitest";
import { TINY_BASE_MODEL, TINY_CONFIG, tinyPrompt, tinyWeights } from "../tiny-decoder.fixture.ts";
import { createNodePolicy } from "./node-policy.ts";

test.each(["int8", "int4"] as const)(
  "%s is expanded to float32 and computed exactly, and the record says so",
  async (dtype) => {
    const policy = await createNodePolicy({
      config: TINY_CONFIG,
      weights: tinyWeights(),
      baseModel: TINY_BASE_MODEL,
      dtype,
      threads: 1,
    });
    const session = await policy.createContext();
    session.append(tinyPrompt(30));
    const sampled = await session.generate({
      sampling: { ...FULL_SUPPORT, seed: 4 },
      stopTokenIds: [],
      maxTokens: 40,
    });
    expect(sampled.fingerprint).toMatch(new RegExp(` gqa in-place expanded ${dtype}; version 0$`));
    const scores = await session.score({ sampling: FULL_SUPPORT });
    for (const [t, logProb] of sampled.rawLogProbs.entries()) {
      expect(Math.abs(logProb - (scores.rawLogProbs[30 + t] as number))).toBeLessThan(1e-4);
    }
    await policy.dispose();
  },
);
