/**
 * The least that decoding takes: one `OrtRun` a token on tensors that stay on the WASM heap, keys and
 * values written in place, the largest logit found. Nothing of the runtime is used. What a product
 * adds to this is its overhead.
 */
import * as ort from "onnxruntime-web/wasm";
import type { OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { Generation } from "./transformers-peer.ts";

export type BareModel = {
  readonly layers: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly vocabularySize: number;
  readonly contextLength: number;
};

const FLOAT = 1;
const INT32 = 6;
const CPU = 1;

type Run = { names: [number, number]; values: [number, number]; counts: [number, number] };

export class BareLoop {
  readonly #module: OrtWasmModule;
  readonly #session: number;
  readonly #model: BareModel;
  readonly #cache: number[];
  readonly #logits: number;
  readonly #ids: number;
  readonly #lengths: number;
  #decodeRun: Run | null = null;

  private constructor(module: OrtWasmModule, session: number, model: BareModel) {
    this.#module = module;
    this.#session = session;
    this.#model = model;
    const { layers, keyValueHeads, headSize, contextLength, vocabularySize } = model;
    const bytes = 4 * keyValueHeads * headSize * contextLength;
    this.#cache = Array.from({ length: 2 * layers }, () => module._malloc(bytes));
    this.#logits = module._malloc(4 * vocabularySize * contextLength);
    this.#ids = module._malloc(4 * contextLength);
    this.#lengths = module._malloc(8);
  }

  /** @param name - a folder under `/bench-models/`. */
  static async load(name: string, model: BareModel, threads: number): Promise<BareLoop> {
    ort.env.wasm.numThreads = threads;
    ort.env.wasm.wasmPaths = {
      mjs: new URL("/packages/runtime/bench/page/capture-module.mjs", location.href).href,
      wasm: new URL("/node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm", location.href)
        .href,
    };
    const graph = await (await fetch(`/bench-models/${name}/graph.onnx`)).arrayBuffer();
    await ort.InferenceSession.create(new Uint8Array(graph), { executionProviders: ["wasm"] });
    const kept = globalThis as unknown as { benchModule: OrtWasmModule; benchSessions: number[] };
    return new BareLoop(kept.benchModule, kept.benchSessions.at(-1) as number, model);
  }

  /** Greedy; `withLogProbs` also sums the softmax of each token, as a record needs. */
  async generate(
    prompt: readonly number[],
    count: number,
    withLogProbs: boolean,
  ): Promise<Generation & { readonly logProbs: readonly number[] }> {
    const { vocabularySize } = this.#model;
    const tokenIds: number[] = [];
    const logProbs: number[] = [];
    const choose = (row: number): number => {
      const start = this.#logits / 4 + row * vocabularySize;
      const logits = this.#floats().subarray(start, start + vocabularySize);
      let best = 0;
      for (let id = 1; id < vocabularySize; id++) {
        if ((logits[id] as number) > (logits[best] as number)) best = id;
      }
      if (withLogProbs) {
        let sum = 0;
        const most = logits[best] as number;
        for (let id = 0; id < vocabularySize; id++) sum += Math.exp((logits[id] as number) - most);
        logProbs.push(-Math.log(sum));
      }
      tokenIds.push(best);
      return best;
    };
    this.#ints().set(prompt, this.#ids / 4);
    await this.#run(this.#prepare(prompt.length), prompt.length);
    let token = choose(prompt.length - 1);
    const decodeRun = (this.#decodeRun ??= this.#prepare(1));
    const start = performance.now();
    for (let step = 1; step <= count; step++) {
      this.#ints()[this.#ids / 4] = token;
      const pending = this.#run(decodeRun, prompt.length + step);
      if (pending !== undefined) await pending;
      token = choose(0);
    }
    return { tokenIds, logProbs, decodeMs: performance.now() - start };
  }

  /** @param total - tokens there are after this run. */
  #run({ names, values, counts }: Run, total: number): Promise<void> | undefined {
    this.#ints()[this.#lengths / 4] = total - 1;
    this.#ints()[this.#lengths / 4 + 1] = total;
    const module = this.#module;
    const done = module._OrtRun(
      this.#session,
      names[0],
      values[0],
      counts[0],
      names[1],
      counts[1],
      values[1],
      0,
    );
    const check = (code: number): void => {
      if (code !== 0) throw new Error(`OrtRun must return 0, got ${code}`);
    };
    if (typeof done !== "number") return done.then(check);
    check(done);
    return undefined;
  }

  /** Tensors over the buffers for runs that read `length` tokens; they are used for every such run. */
  #prepare(length: number): Run {
    const { layers, keyValueHeads, headSize, contextLength, vocabularySize } = this.#model;
    const inputs: [string, number][] = [
      ["input_ids", this.#tensor(INT32, this.#ids, [1, length])],
      ["seqlens_k", this.#tensor(INT32, this.#lengths, [1])],
      ["total_sequence_length", this.#tensor(INT32, this.#lengths + 4, [])],
    ];
    const outputs: [string, number][] = [
      ["logits", this.#tensor(FLOAT, this.#logits, [1, length, vocabularySize])],
    ];
    const dims = [1, keyValueHeads, contextLength, headSize];
    for (let layer = 0; layer < layers; layer++) {
      for (const [index, part] of ["key", "value"].entries()) {
        const at = this.#cache[2 * layer + index] as number;
        inputs.push([`past_key_values.${layer}.${part}`, this.#tensor(FLOAT, at, dims)]);
        outputs.push([`present.${layer}.${part}`, this.#tensor(FLOAT, at, dims)]);
      }
    }
    const pointers = (values: readonly number[]): number => {
      const at = this.#module._malloc(4 * values.length);
      this.#ints().set(values, at / 4);
      return at;
    };
    const both = [inputs, outputs] as const;
    return {
      names: both.map((list) => pointers(list.map(([name]) => this.#string(name)))) as [
        number,
        number,
      ],
      values: both.map((list) => pointers(list.map(([, tensor]) => tensor))) as [number, number],
      counts: [inputs.length, outputs.length],
    };
  }

  #tensor(type: number, data: number, dims: readonly number[]): number {
    const at = this.#module._malloc(4 * Math.max(1, dims.length));
    this.#ints().set(dims, at / 4);
    const size = 4 * dims.reduce((product, dim) => product * dim, 1);
    return this.#module._OrtCreateTensor(type, data, size, at, dims.length, CPU);
  }

  #string(text: string): number {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const at = this.#module._malloc(bytes.length);
    this.#module.HEAPU8.set(bytes, at);
    return at;
  }

  /** Views are made anew: growing memory detaches them. */
  #floats(): Float32Array {
    return new Float32Array(this.#module.HEAPU8.buffer);
  }

  #ints(): Int32Array {
    return new Int32Array(this.#module.HEAPU8.buffer);
  }
}
