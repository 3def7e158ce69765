/** Decoding against a bare loop on the same graph, by turns. */
import { interleavedBest } from "../interleaved.ts";
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { BareLoop } from "./bare-loop.ts";
import { generateOurs, loadOurs } from "./our-policy.ts";

export type BareOptions = {
  readonly model: BenchModelName;
  readonly threads: number;
  readonly rounds: number;
  readonly promptLength: number;
  readonly count: number;
};

export type BareResult = {
  /** Milliseconds for all timed tokens. */
  readonly ours: number;
  readonly bare: number;
  /** The bare loop with the log-prob of each token. */
  readonly bareWithLogProbs: number;
  readonly agree: boolean;
};

export async function measure(options: BareOptions): Promise<BareResult> {
  const { model, threads, rounds, promptLength, count } = options;
  const policy = await loadOurs(model, "wasm", threads);
  const loop = await BareLoop.load(model, BENCH_CONFIGS[model], threads);
  const prompt = benchPrompt(model, promptLength);
  const outputs = new Set<string>();
  const kept = async (generation: Promise<{ tokenIds: readonly number[]; decodeMs: number }>) => {
    const { tokenIds, decodeMs } = await generation;
    outputs.add(tokenIds.join());
    return decodeMs;
  };
  const [ours = 0, bare = 0, bareWithLogProbs = 0] = await interleavedBest(rounds, [
    () => kept(generateOurs(policy, prompt, count)),
    () => kept(loop.generate(prompt, count, false)),
    () => kept(loop.generate(prompt, count, true)),
  ]);
  await policy.dispose();
  return { ours, bare, bareWithLogProbs, agree: outputs.size === 1 };
}
