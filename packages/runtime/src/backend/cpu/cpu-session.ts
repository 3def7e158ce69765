/**
 * A decoder with one adapter on a CPU device: gathers rows, executes a run bound to their memory, and
 * samples or scores from the logits where the run left them.
 */
import type { DecoderConfig } from "@waggle/model";
import type {
  Awaitable,
  DecoderCache,
  DecoderRow,
  DecoderSession,
  RowResult,
} from "../decoder-backend.ts";
import { assertRows } from "../run-limits.ts";
import { BoundBranchRun } from "./bound-branch-run.ts";
import { BoundDecoderRun } from "./bound-decoder-run.ts";
import { CacheStore } from "./cache-store.ts";
import type { CpuCache } from "./cache-store.ts";
import type { CpuDevice, Operand } from "./cpu-device.ts";
import { KeptRuns } from "./kept-runs.ts";
import type { RunPlace } from "./kept-runs.ts";
import { resultOf, wantedTokens } from "./row-result.ts";
import type { CacheRow, RowStore } from "./row-store.ts";
import type { SharedPrefix } from "./shared-prefix.ts";
import type { FedProgram, ProgramUser, Programs } from "./shared-program.ts";
import type { StateLayout } from "./state-layout.ts";

export type CpuSessionOptions = {
  readonly device: CpuDevice;
  readonly programs: Programs;
  /** Fed in every run: A and B of the adapter, if the graph takes them. */
  readonly adapter: readonly Operand[];
  readonly config: DecoderConfig;
  readonly layouts: readonly StateLayout[];
  readonly maxPositions: number;
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
  /** Prefix length from which forks share it. All states are then f32 and have positions. */
  readonly minSharedLength: number;
  readonly onRelease: () => Awaitable<void>;
};

/** Maximum numbers in a run's logits, and in its attention scores: 32 MB each. */
const MAX_RUN_NUMBERS = 8 * 1024 * 1024;

/** Rows of one run: S tokens each, or fewer if all caches are empty. */
type Batch = {
  readonly indices: readonly number[];
  readonly length: number;
  /** The rows' common prefix; they then read one token each. */
  readonly prefix: SharedPrefix | null;
};

export class CpuSession implements DecoderSession, ProgramUser {
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
  readonly #options: CpuSessionOptions;
  readonly #caches: CacheStore;
  readonly #steps = new KeptRuns<BoundDecoderRun>();
  readonly #branchSteps = new KeptRuns<BoundBranchRun>();
  /** Loaded with the first branch. */
  #branches: FedProgram | null = null;
  #scratchBytes = 0;

  constructor(options: CpuSessionOptions) {
    this.maxRunTokens = options.maxRunTokens;
    this.maxRunScores = options.maxRunScores;
    this.maxRows = options.maxRows;
    this.#options = options;
    const { device, layouts, maxPositions } = options;
    this.#caches = new CacheStore({
      device,
      layouts,
      maxPositions,
      onFree: (memory) => {
        this.#steps.drop(memory);
        this.#branchSteps.drop(memory);
      },
    });
  }

  get cacheBytes(): number {
    return this.#caches.sizeBytes;
  }

  get scratchBytes(): number {
    return this.#scratchBytes + this.#steps.sizeBytes + this.#branchSteps.sizeBytes;
  }

  createCache(): DecoderCache {
    return this.#caches.create();
  }

  fork(from: DecoderCache, length: number): Awaitable<DecoderCache> {
    const cache = from as CpuCache;
    const { programs, minSharedLength } = this.#options;
    if (length < minSharedLength) return this.#caches.copy(cache, length);
    if (this.#branches !== null) return this.#caches.branch(cache, length);
    const branch = (branches: FedProgram): DecoderCache => {
      this.#branches = branches;
      return this.#caches.branch(cache, length);
    };
    const branches = programs.branches();
    return branches instanceof Promise ? branches.then(branch) : branch(branches);
  }

  run(rows: readonly DecoderRow[]): Awaitable<readonly RowResult[]> {
    const [row] = rows;
    const again = rows.length === 1 && row !== undefined ? this.#stepAgain(row) : null;
    if (again !== null) return again;
    assertRows(rows, this.#options);
    const results: RowResult[] = Array.from({ length: rows.length });
    return drive(this.#runAll(rows, results));
  }

  /**
   * Fast path for most of decoding: one token of one row that is where the last step left it, so
   * nothing is planned or gathered. `null` in all other cases.
   */
  #stepAgain(row: DecoderRow): Awaitable<readonly RowResult[]> | null {
    const { row: own, prefix } = cacheOf(row);
    const { block, length } = own;
    if (row.tokenIds.length !== 1 || prefix !== null || block === null) return null;
    if (length === 0 || length >= Math.min(block.capacity, this.#options.maxPositions)) return null;
    const run = this.#steps.lastAt(block, own.row);
    if (run === null) return null;
    const { tokenIds, lastPositions, totalLength } = run.inputs();
    tokenIds[0] = row.tokenIds[0] as number;
    lastPositions[0] = length;
    totalLength[0] = length + 1;
    const finish = (): readonly RowResult[] => {
      block.settle(own.row, 1);
      own.length++;
      return [resultOf(row, run, 0)];
    };
    const done = run.execute();
    if (done === undefined) return finish();
    this.#caches.hold();
    return done.then(finish).finally(() => this.#caches.unhold());
  }

  unbind(): void {
    this.#steps.release();
    this.#branchSteps.release();
  }

  async release(): Promise<void> {
    this.unbind();
    this.#caches.free();
    await this.#options.onRelease();
  }

  *#runAll(
    rows: readonly DecoderRow[],
    results: RowResult[],
  ): Generator<Awaitable<void>, readonly RowResult[], void> {
    this.#caches.hold();
    try {
      for (const batch of this.#batches(rows)) {
        if (batch.prefix === null) yield* this.#runBatch(rows, batch, results);
        else yield* this.#stepBranches(rows, batch.indices, batch.prefix, results);
      }
    } finally {
      this.#caches.unhold();
    }
    return results;
  }

  *#stepBranches(
    rows: readonly DecoderRow[],
    indices: readonly number[],
    prefix: SharedPrefix,
    results: RowResult[],
  ): Generator<Awaitable<void>, void, void> {
    const owns = indices.map((index) => cacheOf(rows[index] as DecoderRow).row);
    const longest = owns.reduce((most, { length }) => Math.max(most, length), 0) + 1;
    const { block, start } = this.#caches.suffixes.gather(owns, longest);
    const run = this.#branchStep({ block, start, rows: owns.length, prefix });
    const done = run.execute(
      indices.map((index, order) => {
        const own = owns[order] as CacheRow;
        const tokenId = (rows[index] as DecoderRow).tokenIds[0] as number;
        return { at: own.row - start, tokenId, ownLength: own.length };
      }),
    );
    if (done !== undefined) yield done;
    for (const [order, index] of indices.entries()) {
      const own = owns[order] as CacheRow;
      own.length++;
      results[index] = resultOf(rows[index] as DecoderRow, run, own.row - start);
    }
  }

  *#runBatch(
    rows: readonly DecoderRow[],
    { indices, length }: Batch,
    results: RowResult[],
  ): Generator<Awaitable<void>, void, void> {
    const caches = indices.map((index) => cacheOf(rows[index] as DecoderRow).row);
    const longest = caches.reduce((most, cache) => Math.max(most, cache.length), 0) + length;
    const { block, start } = this.#caches.rows.gather(caches, longest);
    const isStep = length === 1;
    // A step computes logits of every row, so that one bound run serves any output.
    const wanted = isStep ? [] : indices.map((index) => wantedTokens(rows[index] as DecoderRow));
    const count = isStep ? caches.length : wanted.reduce((sum, { length: n }) => sum + n, 0);
    const place = { block, start, rows: caches.length, prefix: null };
    const run = isStep
      ? this.#steps.at(place, () => this.#bind(place, 1, count))
      : this.#bind(place, length, Math.max(1, count));
    if (!isStep) this.#scratchBytes += run.sizeBytes;
    try {
      const { tokenIds, lastPositions, totalLength, logitRows } = run.inputs();
      totalLength[0] = longest;
      let asked = 0;
      for (const [order, index] of indices.entries()) {
        const ids = (rows[index] as DecoderRow).tokenIds;
        const cache = caches[order] as CacheRow;
        const at = cache.row - start;
        for (let s = 0; s < ids.length; s++) tokenIds[at * length + s] = ids[s] as number;
        tokenIds.fill(0, at * length + ids.length, (at + 1) * length);
        lastPositions[at] = cache.length + ids.length - 1;
        if (isStep) logitRows[at] = at;
        else for (const s of wanted[order] ?? []) logitRows[asked++] = at * length + s;
      }
      if (count === 0) logitRows[0] = 0; // a run needs at least one
      const done = run.execute();
      if (done !== undefined) yield done;
      block.settle(start, caches.length);
      let first = 0;
      for (const [order, index] of indices.entries()) {
        const row = rows[index] as DecoderRow;
        const cache = caches[order] as CacheRow;
        cache.length += row.tokenIds.length;
        results[index] = resultOf(row, run, isStep ? cache.row - start : first);
        first += wanted[order]?.length ?? 0;
      }
    } finally {
      if (!isStep) {
        this.#scratchBytes -= run.sizeBytes;
        run.release();
      }
    }
  }

  /**
   * Rows that share a run: those of one token, by prefix, or those with empty caches; limited by the
   * memory they need.
   */
  #batches(rows: readonly DecoderRow[]): Batch[] {
    const singles = new Map<SharedPrefix | null, number[]>();
    const empty: number[] = [];
    const batches: Batch[] = [];
    for (const [index, row] of rows.entries()) {
      const cache = cacheOf(row);
      const isSingle = row.tokenIds.length === 1;
      if (!isSingle || cache.prefix?.users === 1) this.#caches.unshare(cache);
      if (isSingle) {
        const same = singles.get(cache.prefix);
        if (same === undefined) singles.set(cache.prefix, [index]);
        else same.push(index);
      } else if (cache.length === 0) empty.push(index);
      else batches.push({ indices: [index], length: row.tokenIds.length, prefix: null });
    }
    for (const [prefix, single] of singles) {
      const own = single.map((index) => cacheOf(rows[index] as DecoderRow).row);
      const needed = own.map(({ length }) => length + 1);
      for (const group of this.#storeOf(prefix).groups(own, needed)) {
        const indices = group.map((order) => single[order] as number);
        batches.push({ indices, length: 1, prefix });
      }
    }
    batches.push(...this.#emptyBatches(rows, empty));
    return batches;
  }

  #storeOf(prefix: SharedPrefix | null): RowStore {
    return prefix === null ? this.#caches.rows : this.#caches.suffixes;
  }

  /** Rows of similar length side by side, as many as the memory limits allow. */
  #emptyBatches(rows: readonly DecoderRow[], indices: readonly number[]): Batch[] {
    const lengthOf = (index: number): number => (rows[index] as DecoderRow).tokenIds.length;
    const order = indices.toSorted((a, b) => lengthOf(b) - lengthOf(a) || a - b);
    const wanted = indices.map((index) => wantedTokens(rows[index] as DecoderRow).length);
    const logits = Math.max(1, ...wanted) * this.#options.config.vocabularySize;
    const batches: Batch[] = [];
    let taken = 0;
    while (taken < order.length) {
      const length = lengthOf(order[taken] as number);
      const numbers = Math.max(logits, this.#options.config.heads * length * length);
      let end = taken + Math.max(1, Math.floor(MAX_RUN_NUMBERS / numbers));
      end = Math.min(end, order.length);
      // A state without positions is that of the last token, so padding would corrupt it.
      if (!this.#caches.rows.canGoBack) {
        const other = order.findIndex((index, at) => at > taken && lengthOf(index) !== length);
        if (other !== -1) end = Math.min(end, other);
      }
      batches.push({ indices: order.slice(taken, end), length, prefix: null });
      taken = end;
    }
    return batches;
  }

  #bind(place: RunPlace, length: number, logits: number): BoundDecoderRun {
    const { device, programs, adapter, config } = this.#options;
    const { vocabularySize } = config;
    const { program, fed: own } = programs.packed;
    const fed = [...adapter, ...own];
    return new BoundDecoderRun({ device, program, fed, vocabularySize, place, length, logits });
  }

  #branchStep(place: RunPlace & { readonly prefix: SharedPrefix }): BoundBranchRun {
    const { device, adapter, config } = this.#options;
    const { vocabularySize, keyValueHeads } = config;
    const { program, fed: own } = this.#branches as FedProgram;
    const fed = [...adapter, ...own];
    return this.#branchSteps.at(
      place,
      () => new BoundBranchRun({ device, program, fed, vocabularySize, keyValueHeads, place }),
    );
  }
}

function cacheOf({ cache }: DecoderRow): CpuCache {
  return cache as CpuCache;
}

/** Runs to the end synchronously if no promise is yielded. */
function drive<T>(steps: Generator<Awaitable<void>, T, void>): Awaitable<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value !== undefined) return driveLater(steps, value as Promise<void>);
  }
}

async function driveLater<T>(
  steps: Generator<Awaitable<void>, T, void>,
  first: Promise<void>,
): Promise<T> {
  let waiting: Awaitable<void> = first;
  for (;;) {
    let failure: { readonly error: unknown } | null = null;
    try {
      await waiting;
    } catch (error) {
      failure = { error };
    }
    const step: IteratorResult<Awaitable<void>, T> = failure === null
      ? steps.next()
      : steps.throw(failure.error);
    if (step.done) return step.value;
    waiting = step.value;
  }
}
