/** One adapter on a program: its caches, and runs from tokens to results. */
import { WaggleError } from "@waggle/protocol";
import type { DecoderState } from "@waggle/model";
import type { DecoderCache, DecoderRow, DecoderSession, RowResult } from "../decoder-backend.ts";
import type { AdapterMemory } from "./adapter-memory.ts";
import { CacheStore } from "./cache-rows.ts";
import type { CachePlacement, WebgpuCache } from "./cache-rows.ts";
import { encodeCommands } from "./command-tap.ts";
import type { BoundCommands, Placement, Placements } from "./command-tap.ts";
import { isInPlace } from "./decoder-program.ts";
import type { DecoderProgram } from "./decoder-program.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import type { GpuSampler, SampledBatch } from "./gpu-sampler.ts";
import { MIN_SHARED_LENGTH } from "./shared-steps.ts";
import type { SharedSteps } from "./shared-steps.ts";
import { StepAhead } from "./step-ahead.ts";
import { aligned } from "./step-inputs.ts";
import type { StepInputs, StepShape } from "./step-inputs.ts";
import { continuesSampling, jobsOf, NOTHING, resultsOf } from "./step-rows.ts";

type WebgpuSessionOptions = {
  readonly memory: GpuMemory;
  readonly program: DecoderProgram;
  readonly adapter: AdapterMemory;
  readonly inputs: StepInputs;
  readonly sampler: GpuSampler;
  /** `[maxRunScores, V]`, shared by all sessions, because runs do not overlap. */
  readonly logits: GPUBuffer;
  readonly contextLength: number;
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
  readonly onRelease: () => Promise<void>;
};

/** Bindings for one placement of rows. */
type BoundPlacement = { readonly placements: Placements; commands: BoundCommands | null };

/** Rows of one run: indices into the argument of `run`. */
type Batch = readonly number[];

export class WebgpuSession implements DecoderSession {
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
  readonly #options: WebgpuSessionOptions;
  readonly #caches: CacheStore;
  /** States that a run does not write in place, with their write buffers. */
  readonly #moving: readonly {
    readonly state: DecoderState;
    readonly index: number;
    readonly rowBytes: number;
    readonly next: GPUBuffer;
  }[];
  /** The end of the previous run, if nothing was read back. */
  #pending: Promise<unknown> | null = null;
  #isReleased = false;
  /** Loaded with the first fork that is long enough. */
  #branches: SharedSteps | null = null;

  constructor(options: WebgpuSessionOptions) {
    const { memory, program, maxRunTokens, maxRunScores, maxRows } = options;
    this.#options = options;
    this.maxRunTokens = maxRunTokens;
    this.maxRunScores = maxRunScores;
    this.maxRows = maxRows;
    const { states } = program.graph;
    const { capacity } = program.options;
    this.#caches = new CacheStore({ memory, states, capacity });
    this.#moving = states.flatMap((state, index) => {
      if (isInPlace(state)) return [];
      const rowBytes = this.#caches.bytesOf(index);
      const next = memory.create("scratch", rowBytes * maxRows);
      return [{ state, index, rowBytes, next }];
    });
  }

  createCache(): DecoderCache {
    return this.#caches.create();
  }

  async fork(cache: DecoderCache, length: number): Promise<DecoderCache> {
    const load = this.#options.program.loadBranches;
    if (load && length >= MIN_SHARED_LENGTH) {
      this.#branches ??= new (await load())(this.#options, this.#caches);
    }
    return this.#caches.fork(cache as WebgpuCache, length);
  }

  async run(rows: readonly DecoderRow[]): Promise<readonly RowResult[]> {
    if (this.#isReleased) {
      throw new WaggleError("DISPOSED", "the decoder session was released");
    }
    const { memory, sampler } = this.#options;
    memory.check();
    for (const row of rows) this.#checkRow(row);
    await memory.untilLost(sampler.compiled);
    const results: RowResult[] = [];
    await this.#branches?.run(rows, results);
    for (const batch of this.#batches(rows, results)) {
      const answers = await this.#runBatch(batch.map((index) => rows[index] as DecoderRow));
      for (const [order, index] of batch.entries()) results[index] = answers[order] as RowResult;
    }
    return results;
  }

  async release(): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#branches?.dispose();
    this.#caches.dispose();
    for (const { next } of this.#moving) next.destroy();
    this.#options.adapter.dispose();
    await this.#options.onRelease();
  }

  /** Single tokens side by side, other rows one by one: a single prefill keeps the device busy. */
  #batches(rows: readonly DecoderRow[], answered: readonly RowResult[]): Batch[] {
    const single: number[] = [];
    const batches: Batch[] = [];
    for (const [index, { tokenIds }] of rows.entries()) {
      if (index in answered) continue;
      if (tokenIds.length === 1) single.push(index);
      else batches.push([index]);
    }
    for (let start = 0; start < single.length; start += this.maxRows) {
      batches.push(single.slice(start, start + this.maxRows));
    }
    return batches;
  }

  async #runBatch(rows: readonly DecoderRow[]): Promise<RowResult[]> {
    const { inputs, sampler, memory, contextLength } = this.#options;
    const caches = rows.map((row) => row.cache as WebgpuCache);
    const place =
      caches.length === 1
        ? await this.#caches.placeOne(caches[0] as WebgpuCache)
        : await this.#caches.placeMany(caches, this.maxRows);
    const length = rows[0]?.tokenIds.length ?? 1;
    const { jobs, logitRows } = jobsOf(
      rows,
      caches.map(({ row }) => row - place.first),
      place.rows,
    );
    const positions = positionsOf(caches, place, length);
    const isRead = inputs.ahead?.isOf(rows, place) ?? false;
    if (!isRead) {
      inputs.write({
        tokenIds: place.rows === 1 ? (rows[0]?.tokenIds ?? []) : tokensOf(rows, caches, place),
        ...positions,
        logitRows,
      });
    }
    const { totalLength } = positions;
    const shape: StepShape = { rows: place.rows, length, logits: logitRows.length, totalLength };
    const commands = isRead ? [] : await this.#execute(shape, place);
    let batch: SampledBatch | null = null;
    if (commands !== null || jobs.length > 0 || this.#moving.length > 0) {
      const encoder = memory.device.createCommandEncoder();
      const pass =
        commands === null ? encoder.beginComputePass() : encodeCommands(encoder, commands);
      if (jobs.length > 0) batch = sampler.encode(pass, jobs);
      pass.end();
      this.#settle(encoder, caches, place);
      batch?.copy(encoder);
      memory.device.queue.submit([encoder.finish()]);
    }
    for (const cache of caches) cache.length += length;
    if (batch !== null) {
      const ahead = continuesSampling(inputs, contextLength, rows, caches)
        ? this.#readAhead(batch, caches, place)
        : null;
      const results = resultsOf(rows, await batch.read());
      ahead?.drew(results.map(({ sampled }) => sampled?.tokenId ?? -1));
      return results;
    }
    await this.#afterPreviousRun();
    return rows.map(() => NOTHING);
  }

  /** Submits the step that reads the tokens drawn by the batch; `null` if steps are not recorded. */
  #readAhead(
    batch: SampledBatch,
    caches: readonly WebgpuCache[],
    place: CachePlacement,
  ): StepAhead | null {
    const { inputs, memory } = this.#options;
    const { commands } = this.#bind(place);
    if (commands === null) return null;
    const logitRows = [...Array(place.rows).keys()];
    inputs.write({
      tokenIds: new Int32Array(place.rows),
      ...positionsOf(caches, place, 1),
      logitRows,
    });
    const encoder = memory.device.createCommandEncoder();
    const offsets = caches.map(({ row }) => inputs.tokenOffset(row - place.first));
    batch.copyTokens(encoder, inputs.buffer, offsets);
    encodeCommands(encoder, commands).end();
    memory.device.queue.submit([encoder.finish()]);
    return (inputs.ahead = new StepAhead(caches, place));
  }

  /** @returns commands to be submitted, `null` if onnxruntime has run the step. */
  async #execute(shape: StepShape, place: CachePlacement): Promise<BoundCommands | null> {
    const { program } = this.#options;
    const bound = this.#bind(place);
    if (shape.length > 1 || !program.replays) {
      await program.run(shape, bound.placements);
      return null;
    }
    if (bound.commands === null) {
      const { recording, hasRun } = await program.record(shape, bound.placements);
      if (recording !== null) bound.commands = recording.bind(bound.placements);
      if (hasRun) return null;
    }
    return bound.commands;
  }

  #bind({ block, first, rows }: CachePlacement): BoundPlacement {
    const key = first * 1024 + rows;
    const known = block.bound.get(key) as BoundPlacement | undefined;
    if (known !== undefined) return known;
    const { program, adapter, inputs, logits } = this.#options;
    const named: { [name: string]: Placement } = {
      ...inputs.placements(),
      ...adapter.placements,
      logits: { buffer: logits, offset: 0 },
    };
    for (const [index, { past }] of program.graph.states.entries()) {
      const buffer = block.buffers[index] as GPUBuffer;
      named[past] = { buffer, offset: first * this.#caches.bytesOf(index) };
    }
    for (const { state, next } of this.#moving) named[state.present] = { buffer: next, offset: 0 };
    const bound = { placements: program.placements(named), commands: null };
    block.bound.set(key, bound);
    return bound;
  }

  /** Moves states that were not written in place to where the next run reads them. */
  #settle(
    encoder: GPUCommandEncoder,
    caches: readonly WebgpuCache[],
    { block, first }: CachePlacement,
  ): void {
    for (const { index, rowBytes, next } of this.#moving) {
      const buffer = block.buffers[index] as GPUBuffer;
      for (const { row } of caches) {
        const [from, to] = [(row - first) * rowBytes, row * rowBytes];
        encoder.copyBufferToBuffer(next, from, buffer, to, rowBytes);
      }
    }
  }

  /** Limits runs in progress to two, so that an abort waits for no more than these. */
  async #afterPreviousRun(): Promise<void> {
    const { memory } = this.#options;
    const previous = this.#pending;
    this.#pending = memory.device.queue.onSubmittedWorkDone();
    if (previous !== null) await memory.untilLost(previous);
  }

  #checkRow({ cache, tokenIds, output }: DecoderRow): void {
    const { contextLength, maxRunScores } = this.#options;
    const scored = output.kind === "score" ? output.targets.filter((id) => id >= 0).length : 0;
    if (scored > maxRunScores) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `${scored} tokens to score; a row takes at most ${maxRunScores}`,
      );
    }
    if (tokenIds.length < 1 || tokenIds.length > this.maxRunTokens) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `${tokenIds.length} tokens; a row takes 1 to ${this.maxRunTokens}`,
      );
    }
    if (cache.length + tokenIds.length > contextLength) {
      throw new WaggleError(
        "CONTEXT_OVERFLOW",
        `${tokenIds.length} tokens after ${cache.length}; a cache holds ${contextLength}`,
      );
    }
  }
}

/** `[rows]` tokens of a step, 0 for idle rows. */
function tokensOf(
  rows: readonly DecoderRow[],
  caches: readonly WebgpuCache[],
  place: CachePlacement,
): Int32Array {
  const tokenIds = new Int32Array(place.rows);
  for (const [order, row] of rows.entries()) {
    tokenIds[(caches[order] as WebgpuCache).row] = row.tokenIds[0] as number;
  }
  return tokenIds;
}

/** Idle rows are written after the positions that their users read. */
function positionsOf(
  caches: readonly WebgpuCache[],
  { block, first, rows }: CachePlacement,
  length: number,
): { readonly lastPositions: Int32Array; readonly totalLength: number } {
  const lastPositions = new Int32Array(rows);
  for (let row = 0; row < rows; row++) {
    for (const user of block.rows[first + row] ?? []) {
      lastPositions[row] = Math.max(lastPositions[row] as number, user.length);
    }
  }
  for (const cache of caches) lastPositions[cache.row - first] = cache.length + length - 1;
  return { lastPositions, totalLength: Math.max(...lastPositions) + 1 };
}

/** Positions of a cache, plus a spare one, which steps write in full rows. */
export function capacityFor(contextLength: number): number {
  return aligned(contextLength + 1);
}
