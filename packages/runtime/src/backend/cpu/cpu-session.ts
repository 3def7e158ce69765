/**
 * A decoder with one adapter on a CPU device: rows are gathered, a run that is bound to their memory
 * is executed, and sampling or scoring reads the logits where the run left them.
 */
import type { DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { sampleToken, scoreToken } from "../../sampler.ts";
import type {
  Awaitable,
  DecoderCache,
  DecoderRow,
  DecoderSession,
  RowResult,
} from "../decoder-backend.ts";
import { BoundDecoderRun } from "./bound-decoder-run.ts";
import type { CpuDevice, CpuProgram, Operand } from "./cpu-device.ts";
import { RowStore } from "./row-store.ts";
import type { CacheRow } from "./row-store.ts";
import type { StateBlock } from "./state-block.ts";
import type { StateLayout } from "./state-layout.ts";

export type CpuSessionOptions = {
  readonly device: CpuDevice;
  readonly program: CpuProgram;
  readonly config: DecoderConfig;
  readonly layouts: readonly StateLayout[];
  /** Fed in every run: A and B of the adapter, where the graph takes them. */
  readonly adapter: readonly Operand[];
  readonly maxPositions: number;
  readonly maxRunTokens: number;
  readonly maxRows: number;
  readonly onRelease: () => Awaitable<void>;
};

/** Numbers of the logits of one run, and of its attention scores: 32 MB each. */
const MAX_RUN_NUMBERS = 8 * 1024 * 1024;

/** Bound single-token runs that are kept: groups that take turns stay bound. */
const MOST_KEPT = 8;

/** Rows of one run: S tokens each, fewer only where all caches are empty. */
type Batch = { readonly indices: readonly number[]; readonly length: number };

export class CpuSession implements DecoderSession {
  readonly maxRunTokens: number;
  readonly maxRows: number;
  readonly #options: CpuSessionOptions;
  readonly #rows: RowStore;
  /** Single-token runs by their place, least recently used first. */
  #kept: BoundDecoderRun[] = [];
  #scratchBytes = 0;

  constructor(options: CpuSessionOptions) {
    this.maxRunTokens = options.maxRunTokens;
    this.maxRows = options.maxRows;
    this.#options = options;
    const { device, layouts, maxPositions } = options;
    this.#rows = new RowStore(device, layouts, maxPositions, (block) => this.#drop(block));
  }

  get cacheBytes(): number {
    return this.#rows.sizeBytes;
  }

  get scratchBytes(): number {
    return this.#scratchBytes + this.#kept.reduce((sum, run) => sum + run.sizeBytes, 0);
  }

  createCache(): DecoderCache {
    return this.#rows.create();
  }

  fork(cache: DecoderCache, length: number): DecoderCache {
    return this.#rows.fork(cache as CacheRow, length);
  }

  run(rows: readonly DecoderRow[]): Awaitable<readonly RowResult[]> {
    this.#assertRows(rows);
    const results: RowResult[] = Array.from({ length: rows.length });
    return drive(this.#runAll(rows, results));
  }

  async release(): Promise<void> {
    for (const run of this.#kept) run.release();
    this.#kept = [];
    this.#rows.free();
    await this.#options.onRelease();
  }

  *#runAll(
    rows: readonly DecoderRow[],
    results: RowResult[],
  ): Generator<Awaitable<void>, readonly RowResult[], void> {
    for (const batch of this.#batches(rows)) yield* this.#runBatch(rows, batch, results);
    return results;
  }

  *#runBatch(
    rows: readonly DecoderRow[],
    { indices, length }: Batch,
    results: RowResult[],
  ): Generator<Awaitable<void>, void, void> {
    const caches = indices.map((index) => (rows[index] as DecoderRow).cache as CacheRow);
    const longest = caches.reduce((most, cache) => Math.max(most, cache.length), 0) + length;
    const { block, start } = this.#rows.gather(caches, longest);
    const isStep = length === 1;
    // A step makes logits of every row, so that one bound run serves whatever is asked of them.
    const wanted = isStep ? [] : indices.map((index) => wantedTokens(rows[index] as DecoderRow));
    const count = isStep ? caches.length : wanted.reduce((sum, { length: n }) => sum + n, 0);
    const run = isStep
      ? this.#keptRun(block, start, count)
      : this.#bind(block, start, caches.length, length, Math.max(1, count));
    if (!isStep) this.#scratchBytes += run.sizeBytes;
    this.#rows.hold();
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
      if (count === 0) logitRows[0] = 0; // a run must make some
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
      this.#rows.unhold();
      if (!isStep) {
        this.#scratchBytes -= run.sizeBytes;
        run.release();
      }
    }
  }

  /** Which rows share a run: all of one token, or all of empty caches; bounded by what they need. */
  #batches(rows: readonly DecoderRow[]): Batch[] {
    const single: number[] = [];
    const empty: number[] = [];
    const batches: Batch[] = [];
    for (const [index, { cache, tokenIds }] of rows.entries()) {
      if (tokenIds.length === 1) single.push(index);
      else if (cache.length === 0) empty.push(index);
      else batches.push({ indices: [index], length: tokenIds.length });
    }
    if (single.length > 0) {
      const caches = single.map((index) => (rows[index] as DecoderRow).cache as CacheRow);
      const needed = caches.map((cache) => cache.length + 1);
      for (const group of this.#rows.groups(caches, needed)) {
        batches.push({ indices: group.map((order) => single[order] as number), length: 1 });
      }
    }
    batches.push(...this.#emptyBatches(rows, empty));
    return batches;
  }

  /** Rows of like length side by side, as many as bounded memory allows. */
  #emptyBatches(rows: readonly DecoderRow[], indices: readonly number[]): Batch[] {
    const lengthOf = (index: number): number => (rows[index] as DecoderRow).tokenIds.length;
    const order = indices.toSorted((a, b) => lengthOf(b) - lengthOf(a) || a - b);
    const batches: Batch[] = [];
    let taken = 0;
    while (taken < order.length) {
      const length = lengthOf(order[taken] as number);
      const { vocabularySize, heads } = this.#options.config;
      const numbers = length * Math.max(vocabularySize, heads * length);
      let end = taken + Math.max(1, Math.floor(MAX_RUN_NUMBERS / numbers));
      end = Math.min(end, order.length);
      // A state without positions is what the last token left: padding would be read into it.
      if (!this.#rows.canGoBack) {
        const other = order.findIndex((index, at) => at > taken && lengthOf(index) !== length);
        if (other !== -1) end = Math.min(end, other);
      }
      batches.push({ indices: order.slice(taken, end), length });
      taken = end;
    }
    return batches;
  }

  #keptRun(block: StateBlock, start: number, rows: number): BoundDecoderRun {
    const kept = this.#kept;
    for (let at = kept.length - 1; at >= 0; at--) {
      const run = kept[at] as BoundDecoderRun;
      if (!run.isFor(block, start, rows)) continue;
      if (at < kept.length - 1) kept.push(...kept.splice(at, 1));
      return run;
    }
    this.#kept = kept.filter((run) => {
      const isVoid = run.block === block && run.generation !== block.generation;
      if (isVoid) run.release();
      return !isVoid;
    });
    if (this.#kept.length >= MOST_KEPT) this.#kept.shift()?.release();
    const run = this.#bind(block, start, rows, 1, rows);
    this.#kept.push(run);
    return run;
  }

  #bind(
    block: StateBlock,
    start: number,
    rows: number,
    length: number,
    logits: number,
  ): BoundDecoderRun {
    const { device, program, adapter, config } = this.#options;
    const { vocabularySize } = config;
    const place = { block, start, rows, length, logits };
    return new BoundDecoderRun({ device, program, adapter, vocabularySize, ...place });
  }

  #drop(block: StateBlock): void {
    this.#kept = this.#kept.filter((run) => {
      if (run.block === block) run.release();
      return run.block !== block;
    });
  }

  #assertRows(rows: readonly DecoderRow[]): void {
    if (rows.length < 1 || rows.length > this.maxRows) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a run must have 1 to ${this.maxRows} rows, got ${rows.length}; split it`,
      );
    }
    for (const { tokenIds, cache } of rows) {
      if (tokenIds.length < 1 || tokenIds.length > this.maxRunTokens) {
        throw new WaggleError(
          "INVALID_ARGUMENT",
          `a row must read 1 to ${this.maxRunTokens} tokens, got ${tokenIds.length}; split it`,
        );
      }
      const { maxPositions } = this.#options;
      if (cache.length + tokenIds.length > maxPositions) {
        throw new WaggleError(
          "CONTEXT_OVERFLOW",
          `a row must hold at most ${maxPositions} tokens, got ${cache.length + tokenIds.length}; open a longer context`,
        );
      }
    }
  }
}

const NOTHING: RowResult = { sampled: null, scores: null };

/** Tokens of a row whose logits are asked for, ascending. */
function wantedTokens({ tokenIds, output }: DecoderRow): number[] {
  switch (output.kind) {
    case "none":
      return [];
    case "sample":
      return [tokenIds.length - 1];
    case "score":
      return [...output.targets.keys()].filter((s) => (output.targets[s] as number) >= 0);
  }
}

/** @param first - place of the first of the row's wanted tokens among the run's. */
function resultOf({ output }: DecoderRow, run: BoundDecoderRun, first: number): RowResult {
  switch (output.kind) {
    case "none":
      return NOTHING;
    case "sample": {
      const { distribution, uniform, allowed } = output;
      const sampled = sampleToken(run.logits(first), distribution, uniform, allowed);
      return { sampled, scores: null };
    }
    case "score": {
      const { targets, distribution, kept } = output;
      let next = first;
      const scores = targets.map((target, s) =>
        target < 0 ? null : scoreToken(run.logits(next++), target, distribution, kept?.[s]),
      );
      return { sampled: null, scores };
    }
  }
}

/** Runs to the end at once where nothing that is yielded is a promise. */
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
