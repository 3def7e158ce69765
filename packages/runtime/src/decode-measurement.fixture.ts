/** What the benches measure, the same natively and in a page. */
import { initializeAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { FULL_SUPPORT } from "@waggle/protocol";
import type { AdaptivePolicy } from "./session/session.ts";

/** Of the size of the nano base model: 0.6 M parameters. */
export const NANO_CONFIG: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 1024,
  width: 128,
  layers: 3,
  heads: 4,
  keyValueHeads: 2,
  headSize: 32,
  feedForwardSize: 256,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 512,
  ropeScaling: null,
};

export const nanoAdapter = (): Adapter =>
  initializeAdapter(NANO_CONFIG, { rank: 8, alpha: 16, seed: 1 });

export type Measurement = {
  readonly tokensPerSecond: { readonly [promptLength: string]: number };
  readonly eightContextsTokensPerSecond: number;
  readonly scoredTokensPerSecond: number;
  readonly swapMs: number;
};

/** Best of three of each, after one warm-up, with an adapter in use. */
export async function measureDecoding(
  policy: AdaptivePolicy,
  adapter: Adapter,
  now: () => number,
): Promise<Measurement> {
  const prompt = (length: number): number[] =>
    Array.from({ length }, (_, i) => (i * i * 7 + i * 3 + 5) % policy.vocabularySize);
  const decode = async (promptLength: number, maxTokens: number): Promise<number> => {
    const context = await policy.createContext();
    context.append(prompt(promptLength));
    const options = { sampling: { ...FULL_SUPPORT, seed: 1 }, stopTokenIds: [] };
    await context.generate({ ...options, maxTokens: 1 });
    const start = now();
    await context.generate({ ...options, maxTokens });
    const ms = now() - start;
    context.dispose();
    return ms;
  };
  const best = async (measure: () => Promise<number>): Promise<number> => {
    await measure();
    return Math.min(await measure(), await measure(), await measure());
  };

  await policy.setAdapter(1, adapter);
  const tokensPerSecond: { [promptLength: string]: number } = {};
  for (const length of [64, 256]) {
    const ms = await best(() => decode(length, 128));
    tokensPerSecond[`p${length}`] = Math.round(128_000 / ms);
  }
  const together = await best(async () => {
    const start = now();
    await Promise.all(Array.from({ length: 8 }, () => decode(64, 64)));
    return now() - start;
  });
  const requests = Array.from({ length: 16 }, () => ({
    tokenIds: prompt(256),
    sampling: FULL_SUPPORT,
  }));
  const scoring = await best(async () => {
    const start = now();
    await policy.scoreMany(requests);
    return now() - start;
  });
  let version = 1;
  const swapMs = await best(async () => {
    const start = now();
    await policy.setAdapter(++version, adapter);
    return now() - start;
  });
  return {
    tokensPerSecond,
    eightContextsTokensPerSecond: Math.round((8 * 64_000) / together),
    scoredTokensPerSecond: Math.round((16 * 256_000) / scoring),
    swapMs: Math.round(swapMs * 10) / 10,
  };
}
