/** Milliseconds a token as the context grows, ours and Transformers.js', with the same tokens. */
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { attentionMs } from "./attention-alone.ts";
import { loadOurs } from "./our-policy.ts";
import { TransformersPeer } from "./transformers-peer.ts";

export type GrowthOptions = {
  readonly model: BenchModelName;
  readonly contexts: readonly number[];
  /** Tokens timed at each. */
  readonly count: number;
};

/** Milliseconds a token at each context. */
export type GrowthResult = {
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  readonly attention: readonly number[];
  readonly peerName: string;
  readonly agree: boolean;
};

/** Tokens of one run that the device computes rightly. */
const CHUNK = 31;

export async function measure(options: GrowthOptions): Promise<GrowthResult> {
  const { model, contexts, count } = options;
  const config = BENCH_CONFIGS[model];
  const prompt = benchPrompt(model, Math.max(...contexts));
  const attention = await attentionMs(config, contexts);
  const ours = await ourGrowth(options, prompt);
  const model_ = await TransformersPeer.load(model, "webgpu", 1);
  const peer: number[] = [];
  const tokens: number[][] = [];
  const continued = model_.continued(CHUNK);
  let held = 0;
  for (const context of contexts) {
    const { tokenIds, decodeMs } = await continued(prompt.slice(held, context), count);
    held = context + tokenIds.length;
    peer.push(decodeMs / count);
    tokens.push([...tokenIds]);
  }
  await model_.dispose();
  return {
    ours: ours.ms,
    peer,
    attention,
    peerName: TransformersPeer.version,
    agree: tokens.join() === ours.tokens.join(),
  };
}

async function ourGrowth(
  { model, contexts, count }: GrowthOptions,
  prompt: readonly number[],
): Promise<{ readonly ms: number[]; readonly tokens: number[][] }> {
  const { contextLength } = BENCH_CONFIGS[model];
  const policy = await loadOurs(model, "webgpu", 1, { contextLength });
  const session = await policy.createContext();
  const options = {
    sampling: { temperature: 1, topK: 1, topP: 1, seed: 1 },
    stopTokenIds: [],
  };
  const ms: number[] = [];
  const tokens: number[][] = [];
  for (const context of contexts) {
    session.append(prompt.slice(session.tokenIds.length, context));
    const first = await session.generate({ ...options, maxTokens: 1 });
    const start = performance.now();
    const rest = await session.generate({ ...options, maxTokens: count });
    ms.push((performance.now() - start) / count);
    tokens.push([...first.tokenIds, ...rest.tokenIds]);
  }
  session.dispose();
  await policy.dispose();
  return { ms, tokens };
}
