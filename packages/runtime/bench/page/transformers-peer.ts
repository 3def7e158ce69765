/** Transformers.js as users run it: its own build of onnxruntime, its own generation loop. */
import {
  AutoModelForCausalLM,
  BaseStreamer,
  DynamicCache,
  env,
  Tensor,
} from "@huggingface/transformers";
import type { PreTrainedModel } from "@huggingface/transformers";

const DIST = "/node_modules/@huggingface/transformers/node_modules/onnxruntime-web/dist/";

/** A greedy generation: its tokens, and the time of those after the first. */
export type Generation = { readonly tokenIds: readonly number[]; readonly decodeMs: number };

export class TransformersPeer {
  readonly #model: PreTrainedModel;

  private constructor(model: PreTrainedModel) {
    this.#model = model;
  }

  /**
   * @param name - a folder under `/bench-models/`.
   * @param gpu - for `webgpu`, used instead of the device that onnxruntime would request.
   */
  static async load(
    name: string,
    device: "wasm" | "webgpu",
    threads: number,
    gpu?: GPUDevice,
  ): Promise<TransformersPeer> {
    env.allowRemoteModels = false;
    env.allowLocalModels = true;
    env.localModelPath = "/bench-models/";
    env.useBrowserCache = false;
    env.useWasmCache = false;
    const wasm = env.backends.onnx.wasm;
    if (wasm === undefined) throw new Error("Transformers.js has no WASM settings of onnxruntime");
    wasm.numThreads = threads;
    const file = `${DIST}ort-wasm-simd-threaded.asyncify`;
    wasm.wasmPaths = { mjs: `${file}.mjs`, wasm: `${file}.wasm` };
    return new TransformersPeer(
      await AutoModelForCausalLM.from_pretrained(name, {
        dtype: "fp32",
        device,
        ...(gpu && { session_options: { executionProviders: [{ name: "webgpu", device: gpu }] } }),
      }),
    );
  }

  /** Versions of Transformers.js and its onnxruntime. */
  static get version(): string {
    return `Transformers.js ${env.version}, onnxruntime-web ${env.backends.onnx.versions?.web}`;
  }

  /**
   * Generates one token, then `count` more that are timed.
   *
   * @param chunk - maximum prompt tokens per run. Transformers.js itself reads a prompt in one run; on
   *   devices that compute long runs wrongly, other tokens would be timed.
   */
  async generate(prompt: readonly number[], count: number, chunk: number): Promise<Generation> {
    const { length } = prompt;
    const clock = new Clock();
    const cache = await this.#read(prompt.slice(0, (Math.ceil(length / chunk) - 1) * chunk), chunk);
    const output: unknown = await this.#model.generate({
      ...promptInputs(prompt, length),
      max_new_tokens: count + 1,
      do_sample: false,
      streamer: clock,
      ...(cache && { past_key_values: cache }),
    } as never);
    await cache?.dispose();
    const ids = (output as Tensor).data as BigInt64Array;
    return {
      tokenIds: Array.from(ids.subarray(length), Number),
      decodeMs: clock.last - clock.first,
    };
  }

  /**
   * Continues one sequence: reads the given tokens, then generates as `generate` does. Keeps the
   * cache.
   *
   * @param chunk - as in `generate`.
   */
  continued(chunk: number): (given: readonly number[], count: number) => Promise<Generation> {
    const held: number[] = [];
    let cache: Cache | null = null;
    return async (given, count) => {
      const clock = new Clock();
      const seen = cache?.get_seq_length() ?? 0;
      held.push(...given);
      cache = await this.#read(held.slice(seen, -1), chunk, cache);
      const output: unknown = await this.#model.generate({
        ...promptInputs(held, held.length),
        max_new_tokens: count + 1,
        do_sample: false,
        streamer: clock,
        past_key_values: cache,
      } as never);
      const ids = Array.from((output as Tensor).data as BigInt64Array, Number);
      const tokenIds = ids.slice(held.length);
      held.push(...tokenIds);
      return { tokenIds, decodeMs: clock.last - clock.first };
    };
  }

  /** Reads tokens in runs of at most `chunk`. @returns the cache, `null` if nothing was read. */
  async #read(
    tokenIds: readonly number[],
    chunk: number,
    past: Cache | null = null,
  ): Promise<Cache | null> {
    let cache = past;
    for (let from = 0; from < tokenIds.length; from += chunk) {
      const piece = tokenIds.slice(from, from + chunk);
      const total = (cache?.get_seq_length() ?? 0) + piece.length;
      const read = await (this.#model.forward as Forward)({
        ...promptInputs(piece, total),
        past_key_values: cache,
      });
      const entries = Object.entries(read)
        .filter(([name]) => name.startsWith("present"))
        .map(([name, tensor]) => [name.replace("present", "past_key_values"), tensor]);
      if (cache === null) cache = new DynamicCache(Object.fromEntries(entries) as never) as Cache;
      else await cache.update(Object.fromEntries(entries) as never);
    }
    return cache;
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }
}

type Cache = {
  get_seq_length(): number;
  update(entries: never): Promise<void> | void;
  dispose(): Promise<void>;
};

type Forward = (inputs: object) => Promise<{ readonly [name: string]: unknown }>;

/** The tokens to read, and a mask over them and all earlier ones. */
function promptInputs(tokenIds: readonly number[], total: number): object {
  const ids = BigInt64Array.from(tokenIds, BigInt);
  return {
    input_ids: new Tensor("int64", ids, [1, ids.length]),
    attention_mask: new Tensor("int64", new BigInt64Array(total).fill(1n), [1, total]),
  };
}

/** Records when the first and the last token arrive. The streamer is first called with the prompt. */
class Clock extends BaseStreamer {
  first = 0;
  last = 0;
  #calls = 0;

  override put(): void {
    this.last = performance.now();
    if (this.#calls++ === 1) this.first = this.last;
  }

  override end(): void {}
}
