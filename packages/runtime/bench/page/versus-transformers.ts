/** Decoding against Transformers.js in one page, in turns. */
import { BENCH_CONFIGS, benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { PairedRatios } from "../paired-blocks.ts";
import type { Comparison } from "../paired-blocks.ts";
import { BareLoop } from "./bare-loop.ts";
import { keptPolicyInPage } from "./in-page-policy.ts";
import { KeptModule } from "./kept-module.ts";
import { generateOurs, loadOurs } from "./our-policy.ts";
import { TransformersPeer } from "./transformers-peer.ts";

export type VersusOptions = {
  readonly model: BenchModelName;
  readonly device: "wasm" | "webgpu";
  readonly threads: number;
  /**
   * Untimed rounds of the first workload: WebAssembly and JavaScript are recompiled as they run,
   * for about ten generations. Later workloads have one such round.
   */
  readonly warmUp: number;
  readonly workloads: readonly VersusWorkload[];
};

export type VersusWorkload = {
  readonly promptLength: number;
  /** Timed tokens. */
  readonly count: number;
  readonly rounds: number;
};

export type VersusResult = {
  readonly peerName: string;
  readonly workloads: readonly {
    /** The peer's time over ours. */
    readonly ours: Comparison;
    /** The peer's time over a bare loop's, the best possible on this machine. `null` on WebGPU. */
    readonly floor: Comparison | null;
    readonly agree: boolean;
  }[];
};

type Decode = () => Promise<{ readonly tokenIds: readonly number[]; readonly decodeMs: number }>;

export async function measure(options: VersusOptions): Promise<VersusResult> {
  const { model, device, threads } = options;
  const ours = await loadOurs(model, device, threads);
  const peer = await TransformersPeer.load(model, device, threads);
  // Some WebGPU devices compute prefills of 32 and more tokens wrongly, in Transformers.js too.
  const chunk = device === "webgpu" ? 31 : Number.MAX_SAFE_INTEGER;
  const bare = device === "wasm" ? await openBare(model, options.workloads) : null;
  const workloads = [];
  for (const { promptLength, count, rounds } of options.workloads) {
    const prompt = benchPrompt(model, promptLength);
    const outputs = new Set<string>();
    const timed = async (decode: Decode): Promise<number> => {
      const { tokenIds, decodeMs } = await decode();
      outputs.add(tokenIds.length === count + 1 ? tokenIds.join() : `${tokenIds.length} tokens`);
      return decodeMs;
    };
    const byPeer: Decode = () => peer.generate(prompt, count, chunk);
    const byUs: Decode = () => generateOurs(ours, prompt, count);
    const paired = new PairedRatios(count);
    const pairedFloor = new PairedRatios(count);
    const warmUp = workloads.length === 0 ? options.warmUp : 1;
    for (let round = -warmUp; round < rounds; round++) {
      const ends: [number, number] = [await timed(byPeer), 0];
      const ourMs: [number, number] = [await timed(byUs), 0];
      const byBare: Decode | null = bare && (() => Promise.resolve(bare(prompt, count)));
      const bareMs = byBare && ([await timed(byBare), await timed(byBare)] as const);
      ourMs[1] = await timed(byUs);
      ends[1] = await timed(byPeer);
      if (round < 0) continue;
      paired.addRound([[ends[0], ...ourMs, ends[1]]]);
      if (bareMs !== null) pairedFloor.addRound([[ends[0], ...bareMs, ends[1]]]);
    }
    const floor = bare && pairedFloor.comparison();
    workloads.push({ ours: paired.comparison(), floor, agree: outputs.size === 1 });
  }
  await peer.dispose();
  await ours.dispose();
  return { peerName: TransformersPeer.version, workloads };
}

/** Opens a bare loop on a graph of its own that the runtime opened. */
async function openBare(
  model: BenchModelName,
  workloads: VersusOptions["workloads"],
): Promise<(prompt: readonly number[], count: number) => Awaited<ReturnType<Decode>>> {
  const kept = new KeptModule();
  await keptPolicyInPage(model, kept);
  const room = Math.max(...workloads.map(({ promptLength, count }) => promptLength + count + 1));
  const loop = new BareLoop(kept, BENCH_CONFIGS[model], room);
  return (prompt, count) => {
    const generation = loop.begin(prompt, false);
    const start = performance.now();
    generation.step(count);
    return { tokenIds: generation.tokenIds, decodeMs: performance.now() - start };
  };
}
