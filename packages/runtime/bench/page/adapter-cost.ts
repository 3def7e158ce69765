/** Measures the cost per token of an active adapter. */
import { initializeAdapter } from "@waggle/model";
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { interleavedBest } from "../interleaved.ts";
import { loadOurs } from "./our-policy.ts";

export type AdapterCostOptions = {
  readonly model: BenchModelName;
  readonly device: "wasm" | "webgpu";
  readonly adapterStrategy: "merge" | "inputs";
  readonly threads: number;
  readonly rounds: number;
  readonly count: number;
};

export type AdapterCostResult = {
  /** Milliseconds for all tokens. */
  readonly withAdapter: number;
  readonly without: number;
  /** Milliseconds of `setAdapter`. */
  readonly swapMs: number;
  /** Whether a fresh adapter, whose B is zero, leaves every token unchanged. */
  readonly agree: boolean;
};

export async function measure(options: AdapterCostOptions): Promise<AdapterCostResult> {
  const { model, device, threads, adapterStrategy, rounds, count } = options;
  const policy = await loadOurs(model, device, threads, { adapterStrategy });
  const adapter = initializeAdapter(BENCH_CONFIGS[model], { rank: 16, alpha: 32, seed: 1 });
  const outputs = new Set<string>();
  let version = 0;
  const decode = async (): Promise<number> => {
    const session = await policy.createContext();
    session.append(benchPrompt(model, 64));
    const sampling = { temperature: 1, topK: 1, topP: 1, seed: 1 };
    const first = await session.generate({ sampling, stopTokenIds: [], maxTokens: 1 });
    const start = performance.now();
    const rest = await session.generate({ sampling, stopTokenIds: [], maxTokens: count });
    const ms = performance.now() - start;
    session.dispose();
    outputs.add([...first.tokenIds, ...rest.tokenIds].join());
    return ms;
  };
  const swap = async (to: typeof adapter | null): Promise<number> => {
    const start = performance.now();
    await policy.setAdapter(++version, to);
    return performance.now() - start;
  };
  const [withAdapter = 0, without = 0, swapMs = 0] = await interleavedBest(rounds, [
    async () => {
      await swap(adapter);
      return decode();
    },
    async () => {
      await swap(null);
      return decode();
    },
    () => swap(adapter),
  ]);
  await policy.dispose();
  return { withAdapter, without, swapMs, agree: outputs.size === 1 };
}
