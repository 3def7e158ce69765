/**
 * The decoder's graph bound to the rows of one block: ids and lengths in, logits out, in memory
 * that is written and read in place. Valid until the block moves.
 */
import type { Awaitable } from "../decoder-backend.ts";
import type { BoundRun, CpuBuffer, CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";
import type { KeepableRun, RunPlace } from "./kept-runs.ts";

export type BoundDecoderRunOptions = {
  readonly device: CpuDevice;
  readonly program: CpuProgram;
  /** Fed in every run: an adapter, and further inputs of the graph. */
  readonly fed: readonly Operand[];
  readonly vocabularySize: number;
  readonly place: RunPlace;
  /** S. */
  readonly length: number;
  /** N: number of tokens that get logits. */
  readonly logits: number;
};

export type DecoderRunInputs = {
  /** `[B·S]`. */
  readonly tokenIds: Int32Array;
  /** `[B]`: positions that count in each row after the run, minus one. */
  readonly lastPositions: Int32Array;
  /** `[1]`: positions of the longest row after the run. */
  readonly totalLength: Int32Array;
  /** `[N]`: tokens that get logits, b·S + s. */
  readonly logitRows: Int32Array;
};

export class BoundDecoderRun implements KeepableRun {
  readonly place: RunPlace;
  readonly generation: number;
  readonly #length: number;
  readonly #vocabularySize: number;
  /** Ids `[B, S]`, last positions `[B]`, total length, wanted rows `[N]`, then logits `[N, V]`. */
  readonly #buffer: CpuBuffer;
  readonly #logits: number;
  readonly #logitsOffset: number;
  readonly #run: BoundRun;
  /** Views, valid until their memory moves. */
  #inputs: DecoderRunInputs | null = null;
  readonly #logitsViews: Float32Array[] = [];

  constructor(options: BoundDecoderRunOptions) {
    const { device, program, fed, place, length, vocabularySize } = options;
    const { block, start, rows } = place;
    this.place = place;
    this.generation = block.generation;
    this.#length = length;
    this.#vocabularySize = vocabularySize;
    const { logits } = options;
    this.#logits = logits;
    const ids = rows * length;
    this.#logitsOffset = 4 * (ids + rows + 1 + logits);
    const buffer = device.allocate(this.#logitsOffset + 4 * logits * vocabularySize);
    this.#buffer = buffer;
    const states = block.operands(start, rows);
    const int = (name: string, offset: number, shape: readonly number[]): Operand => ({
      name,
      buffer,
      offset,
      type: "i32",
      shape,
    });
    this.#run = program.bind(
      [
        int("input_ids", 0, [rows, length]),
        int("seqlens_k", 4 * ids, [rows]),
        int("total_sequence_length", 4 * (ids + rows), []),
        int("logit_rows", 4 * (ids + rows + 1), [logits]),
        ...states.inputs,
        ...fed,
      ],
      [
        {
          name: "logits",
          buffer,
          offset: this.#logitsOffset,
          type: "f32",
          shape: [1, logits, vocabularySize],
        },
        ...states.outputs,
      ],
    );
  }

  get sizeBytes(): number {
    return this.#buffer.sizeBytes;
  }

  /** The inputs to fill in before a run. */
  inputs(): DecoderRunInputs {
    const known = this.#inputs;
    // After memory has grown, old views are empty, or still valid if threads share the memory.
    if (known !== null && known.totalLength.length > 0) return known;
    const { rows } = this.place;
    const ids = rows * this.#length;
    const all = this.#buffer.ints(0, ids + rows + 1 + this.#logits);
    const inputs = {
      tokenIds: all.subarray(0, ids),
      lastPositions: all.subarray(ids, ids + rows),
      totalLength: all.subarray(ids + rows, ids + rows + 1),
      logitRows: all.subarray(ids + rows + 1),
    };
    this.#inputs = inputs;
    return inputs;
  }

  execute(): Awaitable<void> {
    return this.#run.execute();
  }

  /** `[V]` for one of the wanted rows, by its index among them. Valid until the next run. */
  logits(index: number): Float32Array {
    const known = this.#logitsViews[index];
    if (known !== undefined && known.length > 0) return known;
    const bytes = 4 * this.#vocabularySize;
    const view = this.#buffer.floats(this.#logitsOffset + index * bytes, this.#vocabularySize);
    this.#logitsViews[index] = view;
    return view;
  }

  release(): void {
    this.#run.release();
    this.#buffer.free();
  }
}
