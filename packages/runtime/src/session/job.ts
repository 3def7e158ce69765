/**
 * Work that reads a sequence in runs shared with others: the common part of generating, reading
 * ahead and scoring. The scheduler asks for the next row, runs it, and passes on the result.
 */
import type {
  DecoderCache,
  DecoderSession,
  RowOutput,
  RowResult,
} from "../backend/decoder-backend.ts";
import type { ResidentAdapter } from "./decoder-device.ts";
import type { Sequence } from "./sequence.ts";

/** A row that is refilled for every run, so that a step allocates nothing. */
type JobRow = { cache: DecoderCache; readonly tokenIds: number[]; output: RowOutput };

/** The output of tokens that are only read. */
export const NO_OUTPUT: RowOutput = { kind: "none" };

export abstract class Job {
  /** Order of arrival, and so of rows in a run. Set by the scheduler. */
  id = 0;
  /** True while the run being composed includes it. */
  isChosen = false;
  /** Number of devices lost while it ran. */
  losses = 0;
  /** Out-of-memory failures since its last progress. */
  memoryFailures = 0;
  /** Tokens of its sequence that will have been read after its row. */
  reach = 0;
  /** The largest reach that ran out of memory. */
  failedReach = 0;
  /** The error that prevented its next row. */
  fault: unknown = null;
  readonly resident: ResidentAdapter;
  readonly sequence: Sequence;
  readonly row: JobRow;

  constructor(resident: ResidentAdapter, sequence: Sequence) {
    this.resident = resident;
    this.sequence = sequence;
    // The cache exists before the first run: the scheduler creates it, `fill` sets it.
    this.row = { cache: null as unknown as DecoderCache, tokenIds: [], output: NO_OUTPUT };
  }

  /** Tokens to read before it ends or samples; 0 once it has ended. Called before every run. */
  abstract unread(): number;
  /** Receives the result of its row. */
  abstract take(result: RowResult): void;
  /** Called once, after it has ended and is in no run. */
  abstract settle(): void;
  /** Ends it with an error; `settle` is then not called. */
  abstract fail(error: unknown): void;
  /** The output for tokens `[start, start + count)`. */
  protected abstract outputFor(start: number, count: number): RowOutput;

  /** Maximum tokens of its next row. */
  most(session: DecoderSession): number {
    return session.maxRunTokens;
  }

  /** Writes its next row: the first `count` unread tokens. */
  fill(count: number): void {
    const { row, sequence } = this;
    const cache = sequence.cache as DecoderCache;
    const start = cache.length;
    this.reach = start + count;
    row.cache = cache;
    row.tokenIds.length = count;
    for (let i = 0; i < count; i++) row.tokenIds[i] = sequence.tokenIds[start + i] as number;
    row.output = this.outputFor(start, count);
  }
}

export function byArrival(a: Job, b: Job): number {
  return a.id - b.id;
}
