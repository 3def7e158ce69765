/**
 * Milliseconds per token as the context grows: ours, Transformers.js' on the same tokens, and
 * attention alone, in turns at every context, so that other load on the machine affects all three.
 */
import { requestWebgpuDevice } from "../../src/backend/webgpu/webgpu-device.ts";
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { AttentionAlone } from "./attention-alone.ts";
import { continueOurs, loadOurs } from "./our-policy.ts";
import { TransformersPeer } from "./transformers-peer.ts";

export type GrowthOptions = {
  readonly model: BenchModelName;
  readonly contexts: readonly number[];
  /** Tokens per timing. */
  readonly count: number;
  /** Timings at each context; the best one is reported. */
  readonly rounds: number;
};

/** Milliseconds per token at each context. */
export type GrowthResult = {
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  readonly attention: readonly number[];
  readonly peerName: string;
  readonly agree: boolean;
};

/** Prompt tokens per run of the peer, as in our backend without subgroups. */
const CHUNK = 256;

export async function measure(options: GrowthOptions): Promise<GrowthResult> {
  const { model, contexts, count, rounds } = options;
  const config = BENCH_CONFIGS[model];
  const prompt = benchPrompt(model, Math.max(...contexts));
  // The self-check's choice on a software GPU; with subgroups the peer's tokens would be wrong.
  const gpu = (): Promise<GPUDevice> => requestWebgpuDevice(navigator.gpu, { subgroups: false });
  const attention = await AttentionAlone.open(config, await gpu());
  const policy = await loadOurs(model, "webgpu", 1, { contextLength: config.contextLength });
  const peer = await TransformersPeer.load(model, "webgpu", 1, await gpu());
  const ourContext = await policy.createContext();
  const continuePeer = peer.continued(CHUNK);
  const result = { ours: [] as number[], peer: [] as number[], attention: [] as number[] };
  let held = 0;
  let agree = true;
  for (const context of contexts) {
    const start = performance.now();
    let best = { ours: Infinity, peer: Infinity, attention: Infinity };
    for (let round = 0; round < rounds; round++) {
      const given = prompt.slice(held, context);
      const ours = await continueOurs(ourContext, given, count);
      const theirs = await continuePeer(given, count);
      held = Math.max(held, context) + count + 1;
      agree &&= ours.tokenIds.join() === theirs.tokenIds.join();
      best = {
        ours: Math.min(best.ours, ours.decodeMs / count),
        peer: Math.min(best.peer, theirs.decodeMs / count),
        attention: Math.min(best.attention, await attention.measure(held, count)),
      };
    }
    result.ours.push(best.ours);
    result.peer.push(best.peer);
    result.attention.push(best.attention);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(`context ${context}: ${JSON.stringify(best)}, agree ${agree}, ${seconds} s`);
  }
  await attention.dispose();
  await policy.dispose();
  await peer.dispose();
  return { ...result, peerName: TransformersPeer.version, agree };
}
