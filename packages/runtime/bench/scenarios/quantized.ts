/**
 * Quantized weights on CPUs: a step with matrices expanded to float32 against onnxruntime's own
 * products of 4 and 8 bits. Runs WASM in Node as in workers, and the native library.
 */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import type {
  DecoderBackend,
  DecoderCache,
  DecoderSession,
} from "../../src/backend/decoder-backend.ts";
import { createNodeBackend } from "../../src/node/node-backend.ts";
import { BENCH_CONFIGS, benchPrompt, benchWeights, sizeLabel } from "../bench-models.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";

const PROMPT = 64;

export const quantized: Scenario = {
  name: "quantized",
  description: "int8 and int4 on CPUs: expanded to float32, and as quantized products",
  run: async function* ({ quick, report }) {
    for (const kind of ["wasm", "node-cpu"] as const) {
      for (const dtype of ["int8", "int4"] as const) {
        report(`${dtype} on ${kind}`);
        yield* await compare(kind, dtype, quick ? 8 : 64);
      }
    }
  },
};

async function compare(
  kind: "wasm" | "node-cpu",
  dtype: "int8" | "int4",
  steps: number,
): Promise<BenchRow[]> {
  const config = BENCH_CONFIGS.small;
  const weights = benchWeights("small");
  const open = async (expandsQuantized: boolean): Promise<DecoderBackend> => {
    const options = { config, weights, dtype, expandsQuantized, contextLength: 256, threads: 1 };
    return kind === "wasm"
      ? createWasmBackend({ ...options, createModule })
      : createNodeBackend(options);
  };
  const both = [await Reader.open(await open(true)), await Reader.open(await open(false))] as const;
  // In turns, so that other load on the machine affects both.
  for (let step = 0; step < steps; step++) for (const reader of both) await reader.step();
  for (let again = 0; again < 3; again++) for (const reader of both) await reader.prefill();
  for (const reader of both) await reader.close();
  const [ours, peer] = both;
  const agree = ours.tokenIds.join() === peer.tokenIds.join();
  const name = `${kind} ${sizeLabel("small")} ${dtype}`;
  const peerName = "MatMulNBits";
  const row = (what: string, unit: string, a: number, b: number): BenchRow =>
    benchRow({ name: `${name} ${what}`, ours: a, peer: b, peerName, unit, agree });
  return [
    row("step", "ms", ours.stepMs, peer.stepMs),
    row(`prefill of ${PROMPT}`, "ms", ours.prefillMs, peer.prefillMs),
    row("weights", "MiB", ours.weights / 2 ** 20, peer.weights / 2 ** 20),
  ];
}

/** One backend, decoding greedily after a prompt. */
class Reader {
  readonly #backend: DecoderBackend;
  readonly #session: DecoderSession;
  readonly tokenIds: number[] = [];
  readonly weights: number;
  readonly #steps: number[] = [];
  readonly #prefills: number[] = [];
  #cache: DecoderCache;

  private constructor(backend: DecoderBackend, session: DecoderSession, cache: DecoderCache) {
    this.#backend = backend;
    this.#session = session;
    this.#cache = cache;
    this.weights = backend.memory().weights;
  }

  static async open(backend: DecoderBackend): Promise<Reader> {
    const session = await backend.open(null);
    const reader = new Reader(backend, session, await session.createCache());
    reader.tokenIds.push((await reader.#read(benchPrompt("small", PROMPT))).id);
    return reader;
  }

  get stepMs(): number {
    return median(this.#steps);
  }

  get prefillMs(): number {
    return median(this.#prefills);
  }

  async step(): Promise<void> {
    const { id, ms } = await this.#read([this.tokenIds.at(-1) as number]);
    this.tokenIds.push(id);
    this.#steps.push(ms);
  }

  async prefill(): Promise<void> {
    this.#cache.dispose();
    this.#cache = await this.#session.createCache();
    this.#prefills.push((await this.#read(benchPrompt("small", PROMPT))).ms);
  }

  async close(): Promise<void> {
    this.#cache.dispose();
    await this.#backend.dispose();
  }

  async #read(tokenIds: readonly number[]): Promise<{ readonly id: number; readonly ms: number }> {
    const distribution = { temperature: 1, topK: 1, topP: 1 };
    const output = { kind: "sample", distribution, uniform: 0.5, allowed: null } as const;
    const began = performance.now();
    const [result] = await this.#session.run([{ cache: this.#cache, tokenIds, output }]);
    return { id: result?.sampled?.tokenId ?? -1, ms: performance.now() - began };
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}
