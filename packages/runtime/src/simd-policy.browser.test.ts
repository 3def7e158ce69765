/** A page's worker runs quantized models and small ones on this package's kernels. */
import { decoderConfigJson, initializeDecoder, writeSafetensors } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import { expect, test } from "vitest";
import { createBrowserPolicy } from "./browser-policy.ts";
import { TINY_BASE_MODEL, TINY_CONFIG, tinyPrompt } from "./tiny-decoder.fixture.ts";

/** 8.3 M parameters, almost all of them in the embedding. */
const CONFIG: DecoderConfig = { ...TINY_CONFIG, vocabularySize: 260_000 };

test.each(["f32", "int8", "int4"] as const)(
  "%s: the record says so, and scores equal it",
  async (dtype) => {
    const config = dtype === "f32" ? TINY_CONFIG : CONFIG;
    const policy = await createBrowserPolicy({
      modelFiles: new Map([
        ["config.json", new TextEncoder().encode(JSON.stringify(decoderConfigJson(config)))],
        ["model.safetensors", writeSafetensors(initializeDecoder(config, 1), { format: "pt" })],
      ]),
      baseModel: TINY_BASE_MODEL,
      device: "wasm",
      dtype,
      threads: 1,
    });
    const context = await policy.createContext();
    context.append(tinyPrompt(70));
    const sampling = { ...FULL_SUPPORT, seed: 1 };
    const sampled = await context.generate({ sampling, stopTokenIds: [], maxTokens: 8 });
    expect(sampled.fingerprint).toMatch(/waggle\/\S+ wasm simd (relaxed|exact)/);
    const scores = await policy.score({ tokenIds: context.tokenIds, sampling: FULL_SUPPORT });
    for (const [at, logProb] of sampled.rawLogProbs.entries()) {
      expect(Math.abs(logProb - (scores.rawLogProbs[70 + at] as number))).toBeLessThan(1e-4);
    }
    await policy.dispose();
  },
);
