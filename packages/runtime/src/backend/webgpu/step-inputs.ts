/**
 * The small inputs of a run, in one buffer filled by a single write. Also a run's tensors for
 * onnxruntime, all over stand-ins: each run specifies the actual memory.
 */
import type { GpuMemory } from "./gpu-memory.ts";
import type { WebgpuCache } from "./cache-rows.ts";
import type { Placement } from "./command-tap.ts";
import type { StepAhead } from "./step-ahead.ts";

/** Alignment of offsets at which a buffer can be bound. */
const BINDING_ALIGNMENT = 256;

/** Rounds up to that alignment. */
export function aligned(size: number): number {
  return Math.ceil(size / BINDING_ALIGNMENT) * BINDING_ALIGNMENT;
}

/** Sizes of a run. */
export type StepShape = {
  /** Rows of the run. */
  readonly rows: number;
  /** Tokens of each row, shorter ones padded. */
  readonly length: number;
  /** Positions that get logits. */
  readonly logits: number;
  /** Positions of the longest row after the run. */
  readonly totalLength: number;
  /** Positions of every row. Branches: own positions, and room of the shared prefix. */
  readonly room?: number;
  readonly prefix?: number;
};

export type StepValues = {
  /** `[rows · length]`. */
  readonly tokenIds: ArrayLike<number>;
  /** `[rows]` index of the last position that counts after the run. */
  readonly lastPositions: ArrayLike<number>;
  readonly totalLength: number;
  /** `[logits]` row · length + column. */
  readonly logitRows: ArrayLike<number>;
};

export class StepInputs {
  readonly buffer: GPUBuffer;
  /**
   * A step whose inputs are in the buffer and whose logits were not used yet. Ends with the next
   * inputs.
   */
  ahead: StepAhead | null = null;
  /** Caches of the previous run of any session, if all of its rows sampled. */
  drawing: readonly WebgpuCache[] = [];
  readonly #memory: GpuMemory;
  readonly #words: Int32Array<ArrayBuffer>;
  readonly #idsAt: number;
  readonly #logitRowsAt: number;

  constructor(memory: GpuMemory, limits: Omit<StepShape, "totalLength">) {
    this.#memory = memory;
    const section = (words: number): number => aligned(words * 4) / 4;
    this.#idsAt = section(limits.rows) + section(1);
    this.#logitRowsAt = this.#idsAt + section(Math.max(limits.length, limits.rows));
    this.#words = new Int32Array(this.#logitRowsAt + section(limits.logits));
    this.buffer = memory.create("scratch", this.#words.byteLength);
  }

  write({ tokenIds, lastPositions, totalLength, logitRows }: StepValues): void {
    const words = this.#words;
    this.ahead = null;
    words.set(lastPositions, 0);
    words[this.#idsAt - BINDING_ALIGNMENT / 4] = totalLength;
    words.set(tokenIds, this.#idsAt);
    words.set(logitRows, this.#logitRowsAt);
    this.#memory.device.queue.writeBuffer(this.buffer, 0, words);
  }

  /** Offset of a row's token in bytes. */
  tokenOffset(row: number): number {
    return (this.#idsAt + row) * 4;
  }

  /** Place of each graph input. */
  placements(): { readonly [input: string]: Placement } {
    const at = (word: number): Placement => ({ buffer: this.buffer, offset: word * 4 });
    return {
      seqlens_k: at(0),
      total_sequence_length: at(this.#idsAt - BINDING_ALIGNMENT / 4),
      input_ids: at(this.#idsAt),
      logit_rows: at(this.#logitRowsAt),
    };
  }
}
