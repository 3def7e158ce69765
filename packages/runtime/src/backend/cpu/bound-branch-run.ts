/**
 * Runs one token of each branch of a prefix: the branch graph bound to the prefix and to the rows
 * with the branches' own positions. Valid until either of them moves.
 */
import type { Awaitable } from "../decoder-backend.ts";
import type { BoundRun, CpuBuffer, CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";
import type { KeepableRun, RunPlace } from "./kept-runs.ts";
import type { SharedPrefix } from "./shared-prefix.ts";

type BoundBranchRunOptions = {
  readonly device: CpuDevice;
  /** Compiled from a graph with the inputs `branches`. */
  readonly program: CpuProgram;
  /** Fed in every run: an adapter, and further inputs of the graph. */
  readonly fed: readonly Operand[];
  readonly vocabularySize: number;
  readonly keyValueHeads: number;
  readonly place: RunPlace & { readonly prefix: SharedPrefix };
};

/**
 * A branch's token: its row in the window, its id, and the number of positions in the row before
 * it.
 */
type BranchToken = {
  readonly at: number;
  readonly tokenId: number;
  readonly ownLength: number;
};

/** Added to the scores of positions that do not count. */
const NOT_COUNTED = -1e9;

export class BoundBranchRun implements KeepableRun {
  readonly place: BoundBranchRunOptions["place"];
  readonly generation: number;
  readonly #vocabularySize: number;
  readonly #keyValueHeads: number;
  /** Ids `[B]`, positions `[B]`, wanted rows `[B]`, slots `[B, kvHeads, 3]`; bias `[B, S]`; logits. */
  readonly #buffer: CpuBuffer;
  readonly #biasOffset: number;
  readonly #logitsOffset: number;
  readonly #run: BoundRun;

  constructor(options: BoundBranchRunOptions) {
    const { device, program, fed, place, vocabularySize, keyValueHeads } = options;
    const { block, start, rows, prefix } = place;
    this.place = place;
    this.generation = block.generation;
    this.#vocabularySize = vocabularySize;
    this.#keyValueHeads = keyValueHeads;
    this.#biasOffset = 4 * rows * (3 + 3 * keyValueHeads);
    this.#logitsOffset = this.#biasOffset + 4 * rows * block.capacity;
    const buffer = device.allocate(this.#logitsOffset + 4 * rows * vocabularySize);
    this.#buffer = buffer;
    const operand = (
      name: string,
      type: "i32" | "f32",
      offset: number,
      shape: readonly number[],
    ): Operand => ({ name, buffer, offset, type, shape });
    const states = block.operands(start, rows);
    this.#run = program.bind(
      [
        operand("input_ids", "i32", 0, [rows, 1]),
        operand("positions", "i32", 4 * rows, [rows, 1]),
        operand("logit_rows", "i32", 8 * rows, [rows]),
        operand("slots", "i32", 12 * rows, [rows, keyValueHeads, 1, 3]),
        operand("own_bias", "f32", this.#biasOffset, [rows, 1, 1, block.capacity]),
        ...prefix.operands(),
        ...states.inputs,
        ...fed,
      ],
      [operand("logits", "f32", this.#logitsOffset, [1, rows, vocabularySize]), ...states.outputs],
    );
  }

  get sizeBytes(): number {
    return this.#buffer.sizeBytes;
  }

  /** @param tokens - one for every row of the window, in any order. */
  execute(tokens: readonly BranchToken[]): Awaitable<void> {
    const { rows, block, prefix } = this.place;
    const heads = this.#keyValueHeads;
    const ints = this.#buffer.ints(0, rows * (3 + 3 * heads));
    const bias = this.#buffer.floats(this.#biasOffset, rows * block.capacity);
    for (const { at, tokenId, ownLength } of tokens) {
      ints[at] = tokenId;
      ints[rows + at] = prefix.length + ownLength;
      ints[2 * rows + at] = at;
      for (let head = 0; head < heads; head++) {
        ints.set([at, head, ownLength], 3 * (rows + at * heads + head));
      }
      const first = at * block.capacity;
      bias.fill(0, first, first + ownLength + 1);
      bias.fill(NOT_COUNTED, first + ownLength + 1, first + block.capacity);
    }
    return this.#run.execute();
  }

  /** `[V]` for a row of the window. Valid until the next run. */
  logits(at: number): Float32Array {
    const bytes = 4 * this.#vocabularySize;
    return this.#buffer.floats(this.#logitsOffset + at * bytes, this.#vocabularySize);
  }

  release(): void {
    this.#run.release();
    this.#buffer.free();
  }
}
