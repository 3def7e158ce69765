/** Decoding against Transformers.js in one page, by turns. */
import { interleavedBest } from "../interleaved.ts";
import { benchPrompt } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { generateOurs, loadOurs } from "./our-policy.ts";
import { TransformersPeer } from "./transformers-peer.ts";

export type VersusOptions = {
  readonly model: BenchModelName;
  readonly device: "wasm" | "webgpu";
  readonly threads: number;
  readonly rounds: number;
  /** Prompt length and tokens that are timed. */
  readonly workloads: readonly (readonly [number, number])[];
};

export type VersusResult = {
  readonly peerName: string;
  /** Milliseconds for all timed tokens. */
  readonly workloads: readonly {
    readonly ours: number;
    readonly peer: number;
    readonly agree: boolean;
  }[];
};

export async function measure(options: VersusOptions): Promise<VersusResult> {
  const { model, device, threads, rounds } = options;
  const ours = await loadOurs(model, device, threads);
  const peer = await TransformersPeer.load(model, device, threads);
  // On WebGPU some devices prefill 32 and more tokens wrongly, in Transformers.js too.
  const chunk = device === "webgpu" ? 31 : Number.MAX_SAFE_INTEGER;
  const workloads = [];
  for (const [promptLength, count] of options.workloads) {
    const prompt = benchPrompt(model, promptLength);
    const outputs: string[][] = [[], []];
    const [oursMs = 0, peerMs = 0] = await interleavedBest(rounds, [
      async () => {
        const { tokenIds, decodeMs } = await generateOurs(ours, prompt, count);
        outputs[0]?.push(tokenIds.join());
        return decodeMs;
      },
      async () => {
        const { tokenIds, decodeMs } = await peer.generate(prompt, count, chunk);
        outputs[1]?.push(tokenIds.join());
        return decodeMs;
      },
    ]);
    const agree =
      new Set(outputs.flat()).size === 1 && outputs[0]?.[0]?.split(",").length === count + 1;
    workloads.push({ ours: oursMs, peer: peerMs, agree });
  }
  await peer.dispose();
  await ours.dispose();
  return { peerName: TransformersPeer.version, workloads };
}
