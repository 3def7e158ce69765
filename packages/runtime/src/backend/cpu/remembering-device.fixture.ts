/**
 * A CPU device whose program only remembers: keys are token ids, the state without positions is a
 * running hash, and the logits of a token point to the hash of all tokens in its row. Errors in the
 * memory of rows show in the next token. Like WebAssembly's, its memory grows (here at every third
 * run and allocation), which empties older views. Tests only.
 */
import type { DecoderConfig, DecoderState } from "@waggle/model";
import type { BoundRun, CpuBuffer, CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";
import { outOfMemory } from "./out-of-memory.ts";

export const REMEMBERED_VOCABULARY = 61;

/** Only the members of a config that sessions read. */
export const REMEMBERING_CONFIG = {
  vocabularySize: REMEMBERED_VOCABULARY,
  heads: 2,
  keyValueHeads: 2,
} as DecoderConfig;

const KEYS: DecoderState = {
  layer: 0,
  past: "past_key_values.0.key",
  present: "present.0.key",
  dtype: "f32",
  rowShape: [2, "positions", 1],
  window: null,
};

const CONVOLUTION: DecoderState = {
  layer: 1,
  past: "past_conv.1",
  present: "present_conv.1",
  dtype: "f32",
  rowShape: [1, 1],
  window: null,
};

/** @param hasConvolution - whether there is a state that cannot be truncated. */
export function rememberingStates(hasConvolution: boolean): DecoderState[] {
  return hasConvolution ? [KEYS, CONVOLUTION] : [KEYS];
}

/** The next token that rows of these tokens must point to. */
export function rememberedNext(tokenIds: readonly number[]): number {
  return tokenIds.reduce(nextHash, 0) % REMEMBERED_VOCABULARY;
}

function nextHash(hash: number, tokenId: number): number {
  return (hash * 31 + tokenId + 1) % 65_521; // a prime below 2^16: exact in f32
}

export class RememberingDevice implements CpuDevice {
  readonly kernels = "none";
  readonly copiesOutputs: boolean;
  /** Bytes that are not freed. */
  heldBytes = 0;
  /** Number of bytes above which allocations fail. */
  limitBytes = Number.POSITIVE_INFINITY;
  /** Rows of each run so far. */
  readonly runs: number[] = [];
  readonly program: CpuProgram;
  readonly #buffers = new Set<RememberingBuffer>();
  #chances = 0;

  constructor(copiesOutputs: boolean) {
    this.copiesOutputs = copiesOutputs;
    this.program = {
      sizeBytes: 0,
      bind: (inputs, outputs) => this.#bind(inputs, outputs),
      release: () => undefined,
    };
  }

  allocate(sizeBytes: number): CpuBuffer {
    if (this.heldBytes + sizeBytes > this.limitBytes) throw outOfMemory("allocate", "the limit");
    this.heldBytes += sizeBytes;
    const buffer = new RememberingBuffer(sizeBytes, () => {
      this.heldBytes -= sizeBytes;
      this.#buffers.delete(buffer);
    });
    this.#buffers.add(buffer);
    this.#grow();
    return buffer;
  }

  load(): Promise<CpuProgram> {
    return Promise.resolve(this.program);
  }

  dispose(): void {}

  #grow(): void {
    if (this.#chances++ % 3 === 0) for (const buffer of this.#buffers) buffer.move();
  }

  #bind(inputs: readonly Operand[], outputs: readonly Operand[]): BoundRun {
    const byName = new Map([...inputs, ...outputs].map((operand) => [operand.name, operand]));
    const ints = (name: string): Int32Array => {
      const { buffer, offset, shape } = byName.get(name) as Operand;
      return buffer.ints(offset, sizeOf(shape));
    };
    const floats = (name: string): Float32Array | null => {
      const operand = byName.get(name);
      return operand ? operand.buffer.floats(operand.offset, sizeOf(operand.shape)) : null;
    };
    const [rows = 0, length = 0] = byName.get("input_ids")?.shape ?? [];
    const capacity = byName.get(KEYS.past)?.shape[2] as number;
    if (byName.has("prefix.0.key")) return this.#bindBranches(byName);
    return {
      execute: () => {
        this.runs.push(rows);
        this.#grow();
        const keys = floats(KEYS.present) as Float32Array;
        const past = floats(KEYS.past) as Float32Array;
        if (past.buffer !== keys.buffer)
          throw new Error("keys must be written where they are read");
        const isPrompt = ints("total_sequence_length")[0] === length;
        const hashes: number[] = [];
        for (let row = 0; row < rows; row++) {
          const end = (ints("seqlens_k")[row] as number) + 1;
          const before = isPrompt ? 0 : end - length;
          const at = (head: number, position: number): number =>
            (row * 2 + head) * capacity + position;
          let hash = 0;
          for (let position = 0; position < before; position++) {
            if (keys[at(0, position)] !== keys[at(1, position)]) throw new Error("heads differ");
            hash = nextHash(hash, keys[at(0, position)] as number);
          }
          const running = floats(CONVOLUTION.past)?.[row];
          if (running !== undefined && running !== hash) throw new Error("the hash is another's");
          for (let s = 0; s < length; s++) {
            const tokenId = ints("input_ids")[row * length + s] as number;
            keys[at(0, before + s)] = tokenId;
            keys[at(1, before + s)] = tokenId;
            hash = nextHash(hash, tokenId);
            hashes.push(hash);
          }
          const written = floats(CONVOLUTION.present);
          if (written !== null) written[row] = hash;
        }
        const logits = floats("logits") as Float32Array;
        for (const [at, wanted] of ints("logit_rows").entries()) {
          const first = at * REMEMBERED_VOCABULARY;
          logits.fill(0, first, first + REMEMBERED_VOCABULARY);
          logits[first + ((hashes[wanted] as number) % REMEMBERED_VOCABULARY)] = 100;
        }
      },
      release: () => undefined,
    };
  }

  /** The branch graph: each token's keys are the prefix's, then those that its bias includes. */
  #bindBranches(byName: ReadonlyMap<string, Operand>): BoundRun {
    const ints = (name: string): Int32Array => {
      const { buffer, offset, shape } = byName.get(name) as Operand;
      return buffer.ints(offset, sizeOf(shape));
    };
    const floats = (name: string): Float32Array => {
      const { buffer, offset, shape } = byName.get(name) as Operand;
      return buffer.floats(offset, sizeOf(shape));
    };
    const [rows = 0, , capacity = 0] = byName.get(KEYS.past)?.shape ?? [];
    return {
      execute: () => {
        this.runs.push(rows);
        this.#grow();
        const [keys, bias, prefix] = [KEYS.present, "own_bias", "prefix.0.key"].map(floats) as [
          Float32Array,
          Float32Array,
          Float32Array,
        ];
        if (keys.some(Number.isNaN)) throw new Error("keys are read at unwritten positions");
        const slots = ints("slots");
        for (let at = 0; at < slots.length; at += 3) {
          const [row = 0, head = 0, position = 0] = slots.subarray(at, at + 3);
          keys[(row * 2 + head) * capacity + position] = ints("input_ids")[row] as number;
        }
        const logits = floats("logits").fill(0);
        for (const row of ints("logit_rows")) {
          const own = keys.subarray(row * 2 * capacity, (row * 2 + 1) * capacity);
          const other = keys.subarray((row * 2 + 1) * capacity, (row * 2 + 2) * capacity);
          const counts = Array.from(own.keys()).filter((s) => bias[row * capacity + s] === 0);
          const tokens = [...prefix.subarray(0, prefix.length / 2)];
          for (const s of counts) {
            if (own[s] !== other[s]) throw new Error("heads differ");
            tokens.push(own[s] as number);
          }
          if (ints("positions")[row] !== tokens.length - 1) throw new Error("the position is off");
          logits[row * REMEMBERED_VOCABULARY + rememberedNext(tokens)] = 100;
        }
      },
      release: () => undefined,
    };
  }
}

class RememberingBuffer implements CpuBuffer {
  readonly sizeBytes: number;
  #memory: ArrayBuffer;
  readonly #onFree: () => void;
  #isFreed = false;

  constructor(sizeBytes: number, onFree: () => void) {
    this.sizeBytes = sizeBytes;
    this.#memory = new ArrayBuffer(sizeBytes);
    // Previous contents must never matter.
    new Float32Array(this.#memory).fill(Number.NaN);
    this.#onFree = onFree;
  }

  floats(offset: number, count: number): Float32Array {
    return new Float32Array(this.#used(), offset, count);
  }

  ints(offset: number, count: number): Int32Array {
    return new Int32Array(this.#used(), offset, count);
  }

  copyFrom(source: CpuBuffer, sourceOffset: number, offset: number, bytes: number): void {
    const from = new Uint8Array((source as RememberingBuffer).#used(), sourceOffset, bytes);
    new Uint8Array(this.#used()).set(from, offset);
  }

  fill(value: 0, offset: number, bytes: number): void {
    new Uint8Array(this.#used(), offset, bytes).fill(value);
  }

  /** Moves the contents to new memory. */
  move(): void {
    this.#memory = this.#memory.transfer();
  }

  free(): void {
    if (this.#isFreed) return;
    this.#isFreed = true;
    this.#onFree();
  }

  #used(): ArrayBuffer {
    if (this.#isFreed) throw new Error("the memory was freed");
    return this.#memory;
  }
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
