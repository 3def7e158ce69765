/**
 * The minimum that decoding takes: one `OrtRun` per token on tensors that stay on the WASM heap,
 * keys and values written in place, and an argmax over the logits. It uses a session that the
 * runtime opened, so both have the same kernels and the same weights at the same addresses (which
 * change a step by several percent). The runtime's additional time is its overhead.
 */
import type { OrtWasmModule } from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import type { KeptModule } from "./kept-module.ts";

export type BareModel = {
  readonly layers: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly vocabularySize: number;
};

const FLOAT = 1;
const INT32 = 6;
const CPU = 1;

/** A generation in progress. */
export type BareGeneration = {
  /** All generated tokens, starting with the one after the prompt. */
  readonly tokenIds: readonly number[];
  readonly logProbs: readonly number[];
  /** Decodes this many more. */
  readonly step: (count: number) => void;
};

type Run = { names: [number, number]; values: [number, number]; counts: [number, number] };

export class BareLoop {
  readonly #module: OrtWasmModule;
  readonly #session: number;
  readonly #model: BareModel;
  readonly #room: number;
  readonly #cache: number[];
  readonly #logits: number;
  readonly #ids: number;
  /** Buffer of the last position, the total length and the row that gets logits. */
  readonly #lengths: number;
  /** Runs by the number of tokens that they read. */
  readonly #runs = new Map<number, Run>();

  /**
   * @param kept - the runtime's module, with the model open.
   * @param room - tokens it can hold. No more than needed: distant rows are slower to read.
   */
  constructor(kept: KeptModule, model: BareModel, room: number) {
    const { module, session } = kept;
    this.#module = module;
    this.#session = session;
    this.#model = model;
    this.#room = room;
    const { layers, keyValueHeads, headSize, vocabularySize } = model;
    const bytes = 4 * keyValueHeads * headSize * room;
    this.#cache = Array.from({ length: 2 * layers }, () => module._malloc(bytes));
    this.#logits = module._malloc(4 * vocabularySize);
    this.#ids = module._malloc(4 * room);
    this.#lengths = module._malloc(12);
  }

  /**
   * Reads a prompt and chooses its next token. A loop has one cache, which the last `begin` owns.
   *
   * @param withLogProbs - also computes the log-prob of each token, as recording does.
   */
  begin(prompt: readonly number[], withLogProbs: boolean): BareGeneration {
    const { vocabularySize } = this.#model;
    const tokenIds: number[] = [];
    const logProbs: number[] = [];
    const choose = (): void => {
      const start = this.#logits / 4;
      const logits = this.#floats().subarray(start, start + vocabularySize);
      const best = largestOf(logits);
      if (withLogProbs) logProbs.push(-logSumOf(logits, logits[best] as number));
      tokenIds.push(best);
    };
    this.#ints().set(prompt, this.#ids / 4);
    this.#ints()[this.#lengths / 4 + 2] = prompt.length - 1;
    this.#run(this.#runOf(prompt.length), prompt.length);
    this.#ints()[this.#lengths / 4 + 2] = 0;
    choose();
    const decodeRun = this.#runOf(1);
    const step = (count: number): void => {
      for (let done = 0; done < count; done++) {
        this.#ints()[this.#ids / 4] = tokenIds.at(-1) as number;
        this.#run(decodeRun, prompt.length + tokenIds.length);
        choose();
      }
    };
    return { tokenIds, logProbs, step };
  }

  /** @param total - number of tokens after this run. */
  #run({ names, values, counts }: Run, total: number): void {
    this.#ints()[this.#lengths / 4] = total - 1;
    this.#ints()[this.#lengths / 4 + 1] = total;
    const done = this.#module._OrtRun(
      this.#session,
      names[0],
      values[0],
      counts[0],
      names[1],
      counts[1],
      values[1],
      0,
    );
    if (done !== 0) throw new Error(`OrtRun failed with code ${String(done)}`);
  }

  #runOf(length: number): Run {
    const run = this.#runs.get(length) ?? this.#prepare(length);
    this.#runs.set(length, run);
    return run;
  }

  /** Creates tensors over the buffers for runs of `length` tokens, to be reused by all such runs. */
  #prepare(length: number): Run {
    const { layers, keyValueHeads, headSize, vocabularySize } = this.#model;
    const inputs: [string, number][] = [
      ["input_ids", this.#tensor(INT32, this.#ids, [1, length])],
      ["seqlens_k", this.#tensor(INT32, this.#lengths, [1])],
      ["total_sequence_length", this.#tensor(INT32, this.#lengths + 4, [])],
      ["logit_rows", this.#tensor(INT32, this.#lengths + 8, [1])],
    ];
    const outputs: [string, number][] = [
      ["logits", this.#tensor(FLOAT, this.#logits, [1, 1, vocabularySize])],
    ];
    const dims = [1, keyValueHeads, this.#room, headSize];
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

  /** Creates new views, because growing memory detaches them. */
  #floats(): Float32Array {
    return new Float32Array(this.#module.HEAPU8.buffer);
  }

  #ints(): Int32Array {
    return new Int32Array(this.#module.HEAPU8.buffer);
  }
}

// Module-level, because closures created per generation run uncompiled for a while.

function largestOf(logits: Float32Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id++) {
    if ((logits[id] as number) > (logits[best] as number)) best = id;
  }
  return best;
}

function logSumOf(logits: Float32Array, most: number): number {
  let sum = 0;
  for (let id = 0; id < logits.length; id++) sum += Math.exp((logits[id] as number) - most);
  return Math.log(sum);
}
