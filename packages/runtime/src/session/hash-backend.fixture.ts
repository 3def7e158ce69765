/**
 * A backend for tests of scheduling: logits are a hash of all tokens read so far and of the adapter
 * under which each was read. So a token that is missed, read twice, out of order or under another
 * adapter changes everything after it, regardless of batching. Tests only.
 */
import type { Adapter } from "@waggle/model";
import { WaggleError, derivedSeed, seededRandom } from "@waggle/protocol";
import type {
  Awaitable,
  BackendMemory,
  DecoderBackend,
  DecoderCache,
  DecoderRow,
  DecoderSession,
  RowResult,
} from "../backend/decoder-backend.ts";
import { sampleToken, scoreToken } from "../sampler.ts";

export type HashBackendOptions = {
  readonly vocabularySize: number;
  readonly maxRunTokens?: number;
  readonly maxRunScores?: number;
  readonly maxRows?: number;
  /** Whether runs return promises, after a turn of the event loop. */
  readonly answersLater?: boolean;
  /** Called before every run with its rows; a returned error is thrown. */
  readonly failure?: (rows: readonly DecoderRow[]) => Error | null;
  /** Bytes of caches above which a run fails with `OUT_OF_MEMORY`; one token is one byte. */
  readonly room?: number;
};

/** Records runs and what is in memory. */
export class HashBackend implements DecoderBackend {
  readonly dtype = "f32";
  readonly kernels = "hash";
  /** Tokens of each row of each run. */
  readonly runs: number[][] = [];
  readonly caches = new Set<HashCache>();
  sessions = 0;
  isDisposed = false;
  isBusy = false;
  readonly options: HashBackendOptions;

  constructor(options: HashBackendOptions) {
    this.options = options;
  }

  async open(adapter: Adapter | null, scale = 1): Promise<DecoderSession> {
    this.assertAlone();
    if (adapter?.rank === 13) throw new WaggleError("ADAPTER_INCOMPATIBLE", "rank 13");
    this.sessions++;
    return new HashSession(this, adapter === null ? 1 : 2 + adapter.rank * 7 + scale * 1000);
  }

  memory(): BackendMemory {
    let caches = 0;
    for (const cache of this.caches) caches += cache.length;
    return { weights: this.isDisposed ? 0 : 1, adapters: this.sessions, caches, scratch: 0 };
  }

  async dispose(): Promise<void> {
    this.isDisposed = true;
  }

  assertAlone(): void {
    if (this.isBusy) throw new Error("overlapping calls");
    if (this.isDisposed) throw new Error("used after dispose");
  }
}

class HashCache implements DecoderCache {
  readonly backend: HashBackend;
  /** The hash after each token. */
  readonly states: number[];
  isDisposed = false;

  constructor(backend: HashBackend, states: number[]) {
    this.backend = backend;
    this.states = states;
    backend.caches.add(this);
  }

  get length(): number {
    return this.states.length;
  }

  truncate(length: number): void {
    this.backend.assertAlone();
    this.states.length = Math.min(length, this.states.length);
  }

  dispose(): void {
    this.isDisposed = true;
    this.backend.caches.delete(this);
  }
}

class HashSession implements DecoderSession {
  readonly maxRunTokens: number;
  readonly maxRunScores: number;
  readonly maxRows: number;
  readonly #backend: HashBackend;
  readonly #salt: number;

  constructor(backend: HashBackend, salt: number) {
    this.#backend = backend;
    this.#salt = salt;
    this.maxRunTokens = backend.options.maxRunTokens ?? 16;
    this.maxRunScores = backend.options.maxRunScores ?? this.maxRunTokens;
    this.maxRows = backend.options.maxRows ?? 4;
  }

  createCache(): DecoderCache {
    this.#backend.assertAlone();
    return new HashCache(this.#backend, []);
  }

  fork(cache: DecoderCache, length: number): DecoderCache {
    this.#backend.assertAlone();
    return new HashCache(this.#backend, (cache as HashCache).states.slice(0, length));
  }

  run(rows: readonly DecoderRow[]): Awaitable<readonly RowResult[]> {
    const backend = this.#backend;
    backend.assertAlone();
    const failure = backend.options.failure?.(rows) ?? null;
    if (backend.options.answersLater !== true) {
      if (failure !== null) throw failure;
      return this.#compute(rows);
    }
    backend.isBusy = true;
    return new Promise((resolve) => setImmediate(resolve)).then(() => {
      backend.isBusy = false;
      if (failure !== null) throw failure;
      return this.#compute(rows);
    });
  }

  async release(): Promise<void> {
    this.#backend.assertAlone();
    this.#backend.sessions--;
  }

  #compute(rows: readonly DecoderRow[]): RowResult[] {
    if (rows.length > this.maxRows) throw new Error("too many rows");
    if (new Set(rows.map((row) => row.cache)).size < rows.length)
      throw new Error("the same cache twice");
    const scored = rows.filter(({ output }) => output.kind === "score");
    if (scored.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0) > this.maxRunScores) {
      throw new Error("too many scores");
    }
    this.#backend.runs.push(rows.map((row) => row.tokenIds.length));
    const results = rows.map((row) => this.#computeRow(row));
    const { room = Infinity } = this.#backend.options;
    if (this.#backend.memory().caches > room) {
      throw new WaggleError("OUT_OF_MEMORY", "no room", { retryable: true });
    }
    return results;
  }

  #computeRow({ cache, tokenIds, output }: DecoderRow): RowResult {
    const own = cache as HashCache;
    if (own.isDisposed || own.backend !== this.#backend) throw new Error("a disposed cache");
    if (tokenIds.length > this.maxRunTokens) throw new Error("too many tokens");
    const scores = tokenIds.map((id, index) => {
      const before = own.states.at(-1) ?? 0;
      own.states.push(derivedSeed(before, id, this.#salt));
      const target = output.kind === "score" ? (output.targets[index] ?? -1) : -1;
      if (output.kind !== "score" || target < 0) return null;
      const { kept, drawnAmong, distribution } = output;
      return scoreToken(
        this.#logits(own),
        target,
        distribution,
        kept?.[index],
        drawnAmong?.[index],
      );
    });
    if (output.kind === "score") return { sampled: null, scores };
    if (output.kind === "none") return { sampled: null, scores: null };
    const { distribution, uniform, allowed } = output;
    const sampled = sampleToken(this.#logits(own), distribution, uniform, allowed);
    return { sampled, scores: null };
  }

  #logits({ states }: HashCache): Float32Array {
    const random = seededRandom(states.at(-1) as number);
    const { vocabularySize } = this.#backend.options;
    return Float32Array.from({ length: vocabularySize }, () => random() * 6 - 3);
  }
}
