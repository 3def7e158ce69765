/** How fast a model reads and writes on this machine's CPU. */
import { createHash } from "node:crypto";
import type { DecoderConfig } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import { createNodePolicy, openModelFolder } from "@waggle/runtime/node";
import { computedFormat, type PageFormat } from "./model-check.ts";

const PROMPT_TOKENS = 128;
const SAMPLED_TOKENS = 32;

/** Tokens per second. */
export type ModelSpeed = { readonly read: number; readonly written: number };

export async function measureSpeed(
  folder: string,
  config: DecoderConfig,
  dtype: PageFormat,
  signal: AbortSignal,
): Promise<ModelSpeed> {
  const files = await openModelFolder(folder);
  const policy = await createNodePolicy({
    config,
    weights: await files.weights(),
    // A measurement records nothing, so the identity of the files is not needed.
    baseModel: createHash("sha256").update(folder).digest("hex"),
    dtype: computedFormat(dtype),
    contextLength: Math.min(config.contextLength, PROMPT_TOKENS + 2 * SAMPLED_TOKENS),
  });
  try {
    // The first run also prepares the graphs.
    const first = await policy.createContext();
    first.append([0]);
    await first.generate({
      sampling: { ...FULL_SUPPORT, seed: 1 },
      stopTokenIds: [],
      maxTokens: 1,
    });
    const context = await policy.createContext();
    const generate = async (maxTokens: number): Promise<number> => {
      const start = performance.now();
      await context.generate({
        sampling: { ...FULL_SUPPORT, seed: 1 },
        stopTokenIds: [],
        maxTokens,
        signal,
      });
      signal.throwIfAborted();
      return (performance.now() - start) / 1000;
    };
    const prompt = Math.min(PROMPT_TOKENS, Math.floor(config.contextLength / 2));
    const written = Math.min(SAMPLED_TOKENS, Math.floor(config.contextLength / 4));
    context.append(Array.from({ length: prompt }, (_, i) => i % config.vocabularySize));
    const reading = await generate(1);
    const writing = await generate(written);
    return { read: prompt / reading, written: written / writing };
  } finally {
    await policy.dispose();
  }
}
