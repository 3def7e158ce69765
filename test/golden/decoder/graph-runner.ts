/**
 * Runs a decoder's graph on onnxruntime, native or web, through its public interface only: the rows of a batch, in
 * chunks, with the state passed from run to run. For tests; the runtime has its own runner.
 */
import { float32ToFloat16, stateShape } from "@waggle/model";
import type { DecoderConfig, DecoderGraph } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type {
  InferenceSession,
  InferenceSessionFactory,
  Tensor,
  TensorConstructor,
} from "onnxruntime-web";

/** onnxruntime-node or onnxruntime-web. */
export type Ort = {
  readonly InferenceSession: InferenceSessionFactory;
  readonly Tensor: TensorConstructor;
};

/** Runs one graph. */
export class GraphRunner {
  readonly #ort: Ort;
  readonly #session: InferenceSession;
  readonly #graph: DecoderGraph;
  readonly #config: DecoderConfig;

  private constructor(
    ort: Ort,
    session: InferenceSession,
    graph: DecoderGraph,
    config: DecoderConfig,
  ) {
    this.#ort = ort;
    this.#session = session;
    this.#graph = graph;
    this.#config = config;
  }

  static async open(
    ort: Ort,
    graph: DecoderGraph,
    config: DecoderConfig,
    options: InferenceSession.SessionOptions = {},
  ): Promise<GraphRunner> {
    const { externalData } = graph;
    const session = await ort.InferenceSession.create(graph.model, {
      ...options,
      ...(externalData.length > 0 ? { externalData } : {}),
    });
    return new GraphRunner(ort, session, graph, config);
  }

  /**
   * @param rows one sequence each; shorter ones are padded on the right, only with a single chunk.
   * @param chunks lengths of the runs, which add up to the longest row. Default: one run.
   * @returns logits `[T]` of `[V]` for each row.
   */
  async logits(
    rows: readonly (readonly number[])[],
    chunks: readonly number[] = [Math.max(...rows.map((row) => row.length))],
    adapter: TensorMap = new Map(),
  ): Promise<Float32Array[][]> {
    const run = this.#start(rows.length, adapter);
    const logits: Float32Array[][] = rows.map(() => []);
    let past = 0;
    for (const length of chunks) {
      const parts = rows.map((row) => row.slice(past, past + length));
      const read = rows.map((row) => Math.min(row.length, past + length));
      for (const [row, values] of (await run(parts, read, past + length)).entries()) {
        logits[row]!.push(...values);
      }
      past += length;
    }
    return logits;
  }

  /**
   * A padded prefill of rows of different lengths, then all of them step by step.
   * @param prefill number of tokens in each row's prefill; the remaining tokens are equally many.
   * @returns logits `[T]` of `[V]` for each row.
   */
  async raggedLogits(
    rows: readonly (readonly number[])[],
    prefill: readonly number[],
  ): Promise<Float32Array[][]> {
    const run = this.#start(rows.length, new Map());
    let total = Math.max(...prefill);
    const logits = await run(
      rows.map((row, i) => row.slice(0, prefill[i])),
      prefill,
      total,
    );
    for (let step = 0; step < rows[0]!.length - prefill[0]!; step++) {
      const at = prefill.map((length) => length + step);
      total++;
      const next = await run(
        rows.map((row, i) => [row[at[i]!]!]),
        at.map((position) => position + 1),
        total,
      );
      for (const [row, values] of next.entries()) logits[row]!.push(...values);
    }
    return logits;
  }

  /** @returns a function that runs the next tokens of each row and returns their logits. */
  #start(
    batch: number,
    adapter: TensorMap,
  ): (
    parts: readonly (readonly number[])[],
    read: readonly number[],
    total: number,
  ) => Promise<Float32Array[][]> {
    const { Tensor: OrtTensor } = this.#ort;
    const vocabulary = this.#config.vocabularySize;
    const adapterFeeds: Record<string, Tensor> = {};
    for (const [name, { shape, data }] of adapter) adapterFeeds[name] = this.#floats(data, shape);
    let states: Record<string, Tensor> = {};
    for (const state of this.#graph.states) {
      const shape = stateShape(state, batch, 0);
      const size = shape.reduce((product, dim) => product * dim, 1);
      states[state.past] = this.#floats(new Float32Array(size), shape);
    }
    return async (parts, read, total) => {
      const length = Math.max(...parts.map((part) => part.length));
      const ids = parts.flatMap((part) => Array.from({ length }, (_, i) => part[i] ?? 0));
      const last = Int32Array.from(read, (count) => count - 1);
      const results = await this.#session.run({
        ...adapterFeeds,
        ...states,
        input_ids: new OrtTensor("int32", Int32Array.from(ids), [batch, length]),
        seqlens_k: new OrtTensor("int32", last, [batch]),
        total_sequence_length: new OrtTensor("int32", Int32Array.of(total), []),
      });
      states = Object.fromEntries(
        this.#graph.states.map(({ past, present, dtype }) => {
          const tensor = results[present]!;
          return [past, dtype === "f32" ? tensor : this.#asBits(tensor)];
        }),
      );
      const flat = (await results["logits"]!.getData()) as Float32Array;
      return parts.map((part, row) =>
        part.map((_, t) => {
          const at = (row * length + t) * vocabulary;
          return flat.slice(at, at + vocabulary);
        }),
      );
    };
  }

  release(): Promise<void> {
    return this.#session.release();
  }

  #floats(data: Float32Array, shape: readonly number[]): Tensor {
    if (this.#graph.activations === "f32") return new this.#ort.Tensor("float32", data, shape);
    return this.#half(Uint16Array.from(data, float32ToFloat16), shape);
  }

  #asBits(tensor: Tensor): Tensor {
    if (tensor.location !== "cpu") return tensor;
    const { buffer, byteOffset, length } = tensor.data as Uint16Array;
    return this.#half(new Uint16Array(buffer, byteOffset, length), tensor.dims);
  }

  /** onnxruntime-node 1.30 takes float16 as bits, not as the Float16Array that Tensor creates. */
  #half(bits: Uint16Array, shape: readonly number[]): Tensor {
    const tensor = new this.#ort.Tensor("uint16", bits, shape);
    return Object.defineProperty(tensor, "type", { value: "float16" });
  }
}

/** Largest absolute difference; NaN if any value is NaN. */
export function largestDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let largest = 0;
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    if (Number.isNaN(difference)) return NaN; // fails every comparison
    largest = Math.max(largest, difference);
  }
  return largest;
}
