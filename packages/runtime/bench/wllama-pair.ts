/** Our runtime and wllama open in one page with the same weights: their agreement, wllama's tuning, and timed pairs. */
import { BENCH_CONFIGS, benchPrompt } from "./bench-models.ts";
import type { BenchModelName } from "./bench-models.ts";
import type { EnginePage } from "./engine-page.ts";
import type { WllamaSetting } from "./page/wllama-peer.ts";
import { interleavedPairs } from "./paired-blocks.ts";
import type { Comparison } from "./paired-blocks.ts";
import { plainLogProbs } from "./plain-log-probs.ts";
import { timeBetween } from "./process-usage.ts";
import { peerFolder } from "./wllama-files.ts";
import type { PeerFormat } from "./wllama-files.ts";

/** llama.cpp on WASM was never fastest with other formats of keys and values. */
export const SETTINGS: readonly WllamaSetting[] = [
  { flash_attn: false, cache: "f32" },
  { flash_attn: false, cache: "f16" },
  { flash_attn: true, cache: "f32" },
  { flash_attn: true, cache: "f16" },
  { flash_attn: true, cache: "q8_0" },
];

/** Full precision, for comparing tokens. */
export const EXACT: WllamaSetting = { flash_attn: false, cache: "f32" };

/** Most relative change from one round to the next. */
const STEADY = 0.1;
const TUNING_ROUNDS = 10;
const LONG_MS = 20_000;

/** Nats. */
const MOST_DIFFERENCE = 1e-4;

export type Workload = "decode" | "prefill";

/** The fastest settings, by workload. */
export type Tuned = { readonly [workload in Workload]: WllamaSetting };

export type PairOptions = {
  readonly model: BenchModelName;
  readonly format: PeerFormat;
  readonly threads: number;
  readonly report: (line: string) => void;
};

export class WllamaPair {
  readonly #page: EnginePage;
  readonly #options: PairOptions;
  #setting: WllamaSetting | null = null;
  /** What computed ours, such as `int8 simd`. */
  backend = "";

  private constructor(page: EnginePage, options: PairOptions) {
    this.#page = page;
    this.#options = options;
  }

  static async open(page: EnginePage, options: PairOptions): Promise<WllamaPair> {
    const pair = new WllamaPair(page, options);
    await page.call("openOurs", pair.#folder, options.threads);
    await pair.set(EXACT);
    const { fingerprint } = await page.call("generateOurs", [1], 1);
    pair.backend = backendOf(fingerprint);
    options.report(`open: ${fingerprint}`);
    return pair;
  }

  get #folder(): string {
    return `/models/${this.#options.model}/${this.#options.format}`;
  }

  /** Opens wllama with this setting. */
  async set(setting: WllamaSetting): Promise<void> {
    if (this.#setting === setting) return;
    await this.#page.call("openPeer", this.#folder, this.#options.threads, setting);
    this.#setting = setting;
  }

  /**
   * For f32, whether wllama gives the same tokens. llama.cpp rounds activations where weights are quantized, so then
   * it is whether our log-probs are those of our own reference for the same weights.
   */
  async agrees(count: number): Promise<boolean> {
    const { model, format, report } = this.#options;
    if (format === "f32") {
      await this.set(EXACT);
      const prompt = benchPrompt(model, 64);
      const { tokenIds } = await this.#page.call("generateOurs", prompt, count);
      const theirs = await this.#page.call("generatePeer", prompt, count);
      const same = tokenIds.findIndex((id, at) => id !== theirs[at]);
      report(`tokens equal: ${same < 0 ? `all ${count}` : same}`);
      return same < 0 && theirs.length === count;
    }
    const prompt = benchPrompt(model, 8);
    const { tokenIds, rawLogProbs } = await this.#page.call("generateOurs", prompt, count >> 2);
    const folder = peerFolder(model, format);
    const expected = await plainLogProbs(folder, BENCH_CONFIGS[model], format, [
      ...prompt,
      ...tokenIds,
    ]);
    const worst = Math.max(
      ...rawLogProbs.map((logProb, at) =>
        Math.abs(logProb - (expected[prompt.length - 1 + at] as number)),
      ),
    );
    report(`log-probs within ${worst.toExponential(1)} nats of the reference`);
    return worst <= MOST_DIFFERENCE;
  }

  /** @param settings - to try. */
  async tune(
    settings: readonly WllamaSetting[],
    promptLength: number,
    count: number,
  ): Promise<Tuned> {
    const best = { decode: Infinity, prefill: Infinity };
    const tuned = { decode: EXACT, prefill: EXACT };
    const prompt = benchPrompt(this.#options.model, promptLength);
    for (const setting of settings) {
      await this.set(setting);
      const prefill = await this.#time(() => this.#page.call("generatePeer", prompt, 1));
      const decode = (): Promise<number> =>
        this.#time(() => this.#page.call("decodePeer", prompt, count));
      const times = { prefill, decode: (await steady([decode], TUNING_ROUNDS)) / count };
      // Again with compiled code, which matters less the longer it takes.
      if (prefill < LONG_MS) {
        times.prefill = await this.#time(() => this.#page.call("generatePeer", prompt, 1));
      }
      const shown = `${times.decode.toFixed(1)} ms a token, prompt ${times.prefill.toFixed(0)} ms`;
      this.#options.report(`wllama p${promptLength}, ${settingName(setting)}: ${shown}`);
      for (const workload of ["decode", "prefill"] as const) {
        if (times[workload] >= best[workload]) continue;
        best[workload] = times[workload];
        tuned[workload] = setting;
      }
    }
    return tuned;
  }

  /**
   * Milliseconds per token, wllama's first.
   *
   * @param warmUp - most untimed pairs at the start.
   */
  async compare(
    workload: Workload,
    promptLength: number,
    count: number,
    pairs: number,
    warmUp: number,
  ): Promise<Comparison> {
    const prompt = benchPrompt(this.#options.model, promptLength);
    const { report } = this.#options;
    const isKept = this.backend === "kernels";
    await this.#page.call("forgetPrompt");
    const ours = async (): Promise<number> => {
      if (workload === "prefill") {
        const ms = await this.#time(() => this.#page.call("generateOurs", prompt, 1));
        return ms / promptLength;
      }
      await this.#page.call("prepareOurs", prompt, isKept);
      return (await this.#time(() => this.#page.call("decodeOurs", count, isKept))) / count;
    };
    const theirs = async (): Promise<number> => {
      if (workload === "prefill") {
        const ms = await this.#time(() => this.#page.call("generatePeer", prompt, 1));
        return ms / promptLength;
      }
      return (await this.#time(() => this.#page.call("decodePeer", prompt, count))) / count;
    };
    const ourMs: number[] = [];
    const theirMs: number[] = [];
    await steady([ours, theirs], warmUp);
    for (let pair = 0; pair < pairs; pair++) {
      // Who goes first alternates, too.
      for (const one of pair % 2 === 0 ? [ours, theirs] : [theirs, ours]) {
        (one === ours ? ourMs : theirMs).push(await one());
      }
      const shown = [ourMs, theirMs].map((all) => all.at(-1)?.toFixed(3));
      report(`${workload} p${promptLength}, ms a token: ours ${shown[0]}, wllama ${shown[1]}`);
    }
    await this.#page.call("forgetPrompt");
    return interleavedPairs(theirMs, ourMs);
  }

  async close(): Promise<void> {
    await this.#page.close();
  }

  /**
   * Processor time. With several threads, that of the busiest one: the sum would count waiting in loops, and would not show what
   * threads are for.
   */
  async #time(run: () => Promise<unknown>): Promise<number> {
    const { usage } = this.#page;
    const before = usage.threadTimes();
    await run();
    const { all, busiest } = timeBetween(before, usage.threadTimes());
    return this.#options.threads > 1 ? busiest : all;
  }
}

/**
 * Runs in turns until no time changes much, because code is compiled again as it runs, in threads that count.
 *
 * @param most - rounds.
 * @returns the least sum of a round.
 */
async function steady(runs: readonly (() => Promise<number>)[], most: number): Promise<number> {
  let before: number[] = [];
  let least = Infinity;
  for (let round = 0; round < most; round++) {
    const times: number[] = [];
    for (const run of runs) times.push(await run());
    least = Math.min(
      least,
      times.reduce((sum, ms) => sum + ms),
    );
    const isSteady = times.every((ms, i) => Math.abs(ms / (before[i] ?? 0) - 1) < STEADY);
    if (isSteady) break;
    before = times;
  }
  return least;
}

export function settingName({ flash_attn, cache }: WllamaSetting): string {
  return `flash attention ${flash_attn ? "on" : "off"}, keys and values ${cache}`;
}

function backendOf(fingerprint: string): string {
  return fingerprint.includes("simd") ? "kernels" : "onnxruntime";
}
