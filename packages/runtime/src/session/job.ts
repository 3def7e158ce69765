/**
 * Work that reads a sequence, in runs that it shares with others: what generating, reading ahead and
 * scoring have in common. The scheduler asks for the next row, runs it, and gives the answer.
 */
import type {
  DecoderCache,
  DecoderSession,
  RowOutput,
  RowResult,
} from "../backend/decoder-backend.ts";
import type { ResidentAdapter } from "./decoder-device.ts";
import type { Sequence } from "./sequence.ts";

/** A row that is filled anew for every run, so that a step allocates nothing here. */
type JobRow = { cache: DecoderCache; readonly tokenIds: number[]; output: RowOutput };

/** What is wanted of tokens that are only read. */
export const NO_OUTPUT: RowOutput = { kind: "none" };

export abstract class Job {
  /** Order of arrival, which is the order of rows in a run. Set by the scheduler. */
  id = 0;
  /** True while the run that is being put together holds it. */
  isChosen = false;
  /** Devices that were lost while it ran. */
  losses = 0;
  /** Failures for want of memory since it last came further. */
  memoryFailures = 0;
  /** Tokens of its sequence that are read after its row is. */
  reach = 0;
  /** The largest reach that failed for want of memory. */
  failedReach = 0;
  /** What its next row could not be made for. */
  fault: unknown = null;
  readonly resident: ResidentAdapter;
  readonly sequence: Sequence;
  readonly row: JobRow;

  constructor(resident: ResidentAdapter, sequence: Sequence) {
    this.resident = resident;
    this.sequence = sequence;
    // The cache is there before the first run: the scheduler makes it, `fill` sets it.
    this.row = { cache: null as unknown as DecoderCache, tokenIds: [], output: NO_OUTPUT };
  }

  /** Tokens to read before it ends or samples; 0 once it has ended. Asked before every run. */
  abstract unread(): number;
  /** Takes the answer to its row. */
  abstract take(result: RowResult): void;
  /** Called once, after it has ended and is in no run. */
  abstract settle(): void;
  /** Ends it with an error; `settle` is then not called. */
  abstract fail(error: unknown): void;
  /** What is wanted of tokens `[start, start + count)`. */
  protected abstract outputFor(start: number, count: number): RowOutput;

  /** Most tokens that its next row may have. */
  most(session: DecoderSession): number {
    return session.maxRunTokens;
  }

  /** Writes its next row: the first `count` tokens that are not read. */
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
