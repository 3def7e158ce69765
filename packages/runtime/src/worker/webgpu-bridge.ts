/**
 * Sessions of onnxruntime with growing caches behind the back-end interface: one row a run, forks and
 * shortened caches are read again. For devices whose static caches are not there yet.
 */
import type { Adapter } from "@waggle/model";
import type {
  BackendMemory,
  DecoderBackend,
  DecoderCache,
  DecoderRow,
  DecoderSession,
  RowResult,
} from "../backend/decoder-backend.ts";
import type {
  DecoderBackend as GrowingBackend,
  DecoderCache as GrowingCache,
  DecoderSession as GrowingSession,
} from "../decoder-session.ts";
import { sampleToken, scoreToken } from "../sampler.ts";

class BridgeCache implements DecoderCache {
  inner: GrowingCache | null = null;

  get length(): number {
    return this.inner?.length ?? 0;
  }

  truncate(length: number): void {
    if (length < this.length) this.dispose();
  }

  dispose(): void {
    this.inner?.dispose();
    this.inner = null;
  }
}

export function bridge(backend: GrowingBackend, vocabularySize: number): DecoderBackend {
  return {
    dtype: "f32",
    kernels: "onnxruntime-web/1.30.0 webgpu gqa",
    open: async (adapter: Adapter | null, scale = 1) => {
      const scaled = adapter && { ...adapter, alpha: adapter.alpha * scale };
      return new BridgeSession(await backend.open(scaled), vocabularySize);
    },
    memory: (): BackendMemory => ({ weights: 0, adapters: 0, caches: 0, scratch: 0 }),
    dispose: () => backend.dispose(),
  };
}

class BridgeSession implements DecoderSession {
  readonly maxRows = 1;
  readonly maxRunTokens: number;
  readonly #session: GrowingSession;
  readonly #vocabularySize: number;

  constructor(session: GrowingSession, vocabularySize: number) {
    this.maxRunTokens = session.maxRunTokens;
    this.#session = session;
    this.#vocabularySize = vocabularySize;
  }

  createCache(): DecoderCache {
    return new BridgeCache();
  }

  fork(): DecoderCache {
    return new BridgeCache();
  }

  async run(rows: readonly DecoderRow[]): Promise<RowResult[]> {
    const results: RowResult[] = [];
    for (const row of rows) results.push(await this.#runRow(row));
    return results;
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  async #runRow({ cache, tokenIds, output }: DecoderRow): Promise<RowResult> {
    const own = cache as BridgeCache;
    const past = own.inner;
    own.inner = null; // used up by the run, also when it fails
    const run = await this.#session.run([...tokenIds], past);
    own.inner = run.cache;
    const size = this.#vocabularySize;
    const logits = (s: number): Float32Array => run.logits.subarray(s * size, (s + 1) * size);
    if (output.kind === "none") return { sampled: null, scores: null };
    if (output.kind === "sample") {
      const { distribution, uniform, allowed } = output;
      const last = logits(tokenIds.length - 1);
      return { sampled: sampleToken(last, distribution, uniform, allowed), scores: null };
    }
    const { targets, distribution, kept } = output;
    const scores = targets.map((target, s) =>
      target < 0 ? null : scoreToken(logits(s), target, distribution, kept?.[s]),
    );
    return { sampled: null, scores };
  }
}
