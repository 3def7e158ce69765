/**
 * A decoder session over onnxruntime, native or web: the two share one API, which is passed in. An
 * adapter comes in by one of two strategies: merged into the weights of a fresh session, or as
 * inputs of a graph that all adapters share.
 */
import { adapterGraphInputs, buildDecoderGraph, mergeAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { boundary } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type {
  InferenceSession,
  InferenceSessionFactory,
  Tensor as OrtTensor,
  TensorConstructor,
} from "onnxruntime-web";
import { CacheBlock, isWholeBlock, OrtCache, packRows } from "./ort-cache.ts";
import type { Feeds } from "./ort-cache.ts";
import type {
  DecoderBackend,
  DecoderCache,
  DecoderOutput,
  DecoderSession,
} from "./decoder-session.ts";

/** The part of onnxruntime's API that is used; `onnxruntime-node` and `-web` both have it. */
type OrtRuntime = {
  readonly InferenceSession: InferenceSessionFactory;
  readonly Tensor: TensorConstructor;
};

/**
 * `merge`: a session of its own for each adapter, no cost per token. `inputs`: one session, A and B
 * fed to it, no cost per swap.
 */
export type AdapterStrategy = "merge" | "inputs";

export type OrtBackendOptions = {
  readonly runtime: OrtRuntime;
  readonly config: DecoderConfig;
  readonly weights: TensorMap;
  /** Positions the rotary tables cover. */
  readonly maxPositions: number;
  readonly sessionOptions: InferenceSession.SessionOptions;
  readonly maxRunTokens: number;
  /** Most contexts of one decoding run; more than 1 needs outputs on the CPU. */
  readonly maxRows: number;
  readonly adapterStrategy: AdapterStrategy;
  /** With `inputs`: adapters up to this rank share one graph; a larger one compiles a larger graph. */
  readonly adapterRank: number;
  /** Puts a tensor that stays for many runs where runs find it fast. Default: an ordinary tensor. */
  readonly place?: ((tensor: Tensor) => Promise<OrtTensor>) | undefined;
};

/** Sessions for the adapters of one base model. */
export function createOrtBackend(options: OrtBackendOptions): DecoderBackend {
  return options.adapterStrategy === "merge"
    ? new MergingBackend(options)
    : new InputsBackend(options);
}

class MergingBackend implements DecoderBackend {
  readonly #options: OrtBackendOptions;

  constructor(options: OrtBackendOptions) {
    this.#options = options;
  }

  async open(adapter: Adapter | null): Promise<DecoderSession> {
    const { config, weights } = this.#options;
    const merged = adapter === null ? weights : mergeAdapter(config, weights, adapter);
    const session = await createSession(this.#options, merged, null);
    return new OrtSession(this.#options, session, {}, () => session.release());
  }

  async dispose(): Promise<void> {}
}

type SharedGraph = { readonly rank: number; readonly session: InferenceSession; users: number };

class InputsBackend implements DecoderBackend {
  readonly #options: OrtBackendOptions;
  #graph: SharedGraph | null = null;

  constructor(options: OrtBackendOptions) {
    this.#options = options;
  }

  async open(adapter: Adapter | null): Promise<DecoderSession> {
    const { config, runtime } = this.#options;
    const graph = await this.#graphFor(adapter?.rank ?? 0);
    graph.users++;
    const place = this.#options.place ?? ((tensor) => Promise.resolve(toOrt(runtime, tensor)));
    const feeds: { [name: string]: OrtTensor } = {};
    for (const [name, tensor] of adapterGraphInputs(config, adapter, graph.rank)) {
      feeds[name] = await place(tensor);
    }
    return new OrtSession(this.#options, graph.session, feeds, async () => {
      for (const tensor of Object.values(feeds)) tensor.dispose();
      graph.users--;
      if (graph.users === 0 && graph !== this.#graph) await graph.session.release();
    });
  }

  async dispose(): Promise<void> {
    const graph = this.#graph;
    this.#graph = null;
    if (graph?.users === 0) await graph.session.release();
  }

  async #graphFor(rank: number): Promise<SharedGraph> {
    const current = this.#graph;
    if (current !== null && rank <= current.rank) return current;
    let padded = this.#options.adapterRank;
    while (padded < rank) padded *= 2;
    const session = await createSession(this.#options, this.#options.weights, { rank: padded });
    this.#graph = { rank: padded, session, users: 0 };
    if (current?.users === 0) await current.session.release();
    return this.#graph;
  }
}

async function createSession(
  { runtime, config, maxPositions, sessionOptions }: OrtBackendOptions,
  weights: TensorMap,
  lora: { readonly rank: number } | null,
): Promise<InferenceSession> {
  const { model, externalData } = await buildDecoderGraph(config, weights, { lora, maxPositions });
  return boundary("device", () =>
    runtime.InferenceSession.create(model, {
      ...sessionOptions,
      ...(externalData.length === 0 ? {} : { externalData }),
    }),
  );
}

class OrtSession implements DecoderSession {
  readonly maxRunTokens: number;
  readonly maxRows: number;
  readonly #options: OrtBackendOptions;
  readonly #session: InferenceSession;
  readonly #adapterFeeds: Feeds;
  readonly #onRelease: () => Promise<void>;

  constructor(
    options: OrtBackendOptions,
    session: InferenceSession,
    adapterFeeds: Feeds,
    onRelease: () => Promise<void>,
  ) {
    this.maxRunTokens = options.maxRunTokens;
    this.maxRows = options.maxRows;
    this.#options = options;
    this.#session = session;
    this.#adapterFeeds = adapterFeeds;
    this.#onRelease = onRelease;
  }

  async run(tokenIds: readonly number[], cache: DecoderCache | null): Promise<DecoderOutput> {
    const past = cache === null ? null : (this.detach(cache) as OrtCache);
    const length = (past?.length ?? 0) + tokenIds.length;
    try {
      const { logits, ...present } = await this.#execute(
        Int32Array.from(tokenIds),
        [1, tokenIds.length],
        Int32Array.of(length - 1),
        length,
        past?.block.feeds ?? this.#emptyPast(1),
      );
      const block = new CacheBlock(presentAsPast(present), 1, length);
      return { logits: logits?.data as Float32Array, cache: new OrtCache(block, 0, length) };
    } finally {
      past?.dispose();
    }
  }

  async decodeRows(
    rows: readonly { readonly tokenId: number; readonly cache: DecoderCache }[],
  ): Promise<DecoderOutput[]> {
    const [first] = rows;
    if (rows.length === 1 && first !== undefined) {
      return [await this.run([first.tokenId], first.cache)];
    }
    const { config, runtime } = this.#options;
    // Rows that stay together find themselves in their block's order, which costs no copy.
    const order = rows
      .map((row, index) => ({ ...row, cache: row.cache as OrtCache, index }))
      .sort((a, b) => a.cache.row - b.cache.row);
    const caches = order.map((row) => row.cache);
    let block = caches[0]?.block as CacheBlock;
    if (!isWholeBlock(caches)) {
      block = packRows(caches, config, runtime.Tensor);
      for (const cache of caches) cache.dispose();
      for (const row of order)
        row.cache = new OrtCache(block, order.indexOf(row), row.cache.length);
    }
    try {
      const { logits, ...present } = await this.#execute(
        Int32Array.from(order, (row) => row.tokenId),
        [rows.length, 1],
        Int32Array.from(order, (row) => row.cache.length),
        block.capacity + 1,
        block.feeds,
      );
      const next = new CacheBlock(presentAsPast(present), rows.length, block.capacity + 1);
      const values = logits?.data as Float32Array;
      const outputs: DecoderOutput[] = [];
      for (const [row, { index, cache }] of order.entries()) {
        outputs[index] = {
          logits: values.subarray(row * config.vocabularySize, (row + 1) * config.vocabularySize),
          cache: new OrtCache(next, row, cache.length + 1),
        };
      }
      return outputs;
    } finally {
      for (const { cache } of order) cache.dispose();
    }
  }

  detach(cache: DecoderCache): DecoderCache {
    const own = cache as OrtCache;
    if (isWholeBlock([own])) return own;
    const block = packRows([own], this.#options.config, this.#options.runtime.Tensor);
    own.dispose();
    return new OrtCache(block, 0, own.length);
  }

  async runRows(rows: readonly (readonly number[])[]): Promise<Float32Array> {
    const length = Math.max(...rows.map((row) => row.length));
    const ids = new Int32Array(rows.length * length);
    for (const [index, row] of rows.entries()) ids.set(row, index * length);
    const { logits, ...present } = await this.#execute(
      ids,
      [rows.length, length],
      Int32Array.from(rows, (row) => row.length - 1),
      length,
      this.#emptyPast(rows.length),
    );
    for (const tensor of Object.values(present)) tensor?.dispose();
    return logits?.data as Float32Array;
  }

  release(): Promise<void> {
    return this.#onRelease();
  }

  #execute(
    ids: Int32Array,
    shape: readonly number[],
    lastPositions: Int32Array,
    totalLength: number,
    past: Feeds,
  ): Promise<{ readonly [name: string]: OrtTensor | undefined }> {
    const { Tensor } = this.#options.runtime;
    return boundary("device", async () => {
      const outputs = await this.#session.run({
        ...this.#adapterFeeds,
        ...past,
        input_ids: new Tensor("int32", ids, shape),
        seqlens_k: new Tensor("int32", lastPositions, [lastPositions.length]),
        total_sequence_length: new Tensor("int32", Int32Array.of(totalLength), []),
      });
      return outputs as { readonly [name: string]: OrtTensor | undefined };
    });
  }

  #emptyPast(rows: number): Feeds {
    const { config, runtime } = this.#options;
    const shape = [rows, config.keyValueHeads, 0, config.headSize];
    const feeds: { [name: string]: OrtTensor } = {};
    for (let layer = 0; layer < config.layers; layer++) {
      for (const part of ["key", "value"]) {
        feeds[`past_key_values.${layer}.${part}`] = new runtime.Tensor(
          "float32",
          new Float32Array(0),
          shape,
        );
      }
    }
    return feeds;
  }
}

/** The outputs of one run under the names of the next one's inputs. */
function presentAsPast(present: { readonly [name: string]: OrtTensor | undefined }): Feeds {
  const feeds: { [name: string]: OrtTensor } = {};
  for (const [name, tensor] of Object.entries(present)) {
    feeds[name.replace("present.", "past_key_values.")] = tensor as OrtTensor;
  }
  return feeds;
}

/** A tensor of onnxruntime over the same memory. */
function toOrt(runtime: OrtRuntime, tensor: Tensor): OrtTensor {
  return new runtime.Tensor("float32", tensor.data, tensor.shape);
}
