/**
 * Runs the training graphs of one decoder: builds and loads each variant when first needed, feeds
 * microbatches, reads outputs. Holds no weights and no optimizer.
 */
import { ropeTables } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { Microbatch } from "./microbatch.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import type { IntegerTensor } from "./onnx-graph.ts";
import { buildTrainingGraph, shapeInputs } from "./training-graph.ts";
import type { GraphVariant } from "./training-graph.ts";

/** Large enough that exp(−MASKED) is 0 and small enough that products with it stay finite in f32. */
const MASKED = 1e9;

/** `[K]` derivatives in the order of the microbatch's asked tokens. */
export type RowDerivatives = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
};

/** `[K]` outputs in the order of the microbatch's asked tokens. */
export type RowOutputs = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
  readonly sumSquaredProb: Float32Array;
};

type LoadedGraph = { readonly graph: OnnxGraph; readonly gradients: ReadonlyMap<string, string> };
type Feed = Tensor | IntegerTensor;

export class TrainingRunner {
  readonly #config: DecoderConfig;
  readonly #trained: ReadonlySet<string>;
  readonly #threads: number;
  readonly #graphs = new Map<string, Promise<LoadedGraph>>();
  #tables: { readonly length: number; readonly feeds: ReadonlyMap<string, Feed> } | undefined;

  constructor(config: DecoderConfig, trained: ReadonlySet<string>, threads: number) {
    this.#config = config;
    this.#trained = trained;
    this.#threads = threads;
  }

  async forward(weights: TensorMap, microbatch: Microbatch): Promise<RowOutputs> {
    const variant = variantOf(microbatch, "forward");
    const { graph } = await this.#load(variant);
    const outputs = await graph.run(this.#feeds(weights, microbatch));
    const output = (name: string): Float32Array => outputs.get(name) as Float32Array;
    const logProb = output("logProb");
    return {
      logProb,
      rawLogProb: variant.tempered ? output("rawLogProb") : logProb,
      entropy: output("entropy"),
      sumSquaredProb: output("sumSquaredProb"),
    };
  }

  /** @returns outputs by the weight's name, and the two row gradients under their own names. */
  async backward(
    weights: TensorMap,
    microbatch: Microbatch,
    derivatives: RowDerivatives,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const plain = microbatch.inverseTemperatures === null;
    const { rawLogProb, entropy } = derivatives;
    const variant: GraphVariant = {
      ...variantOf(microbatch, "backward"),
      entropy: entropy.some((value) => value !== 0),
      raw: !plain && rawLogProb.some((value) => value !== 0),
    };
    const { graph, gradients } = await this.#load(variant);
    const feeds = this.#feeds(weights, microbatch);
    const column = (data: Float32Array): Tensor => ({ shape: [data.length, 1], data });
    // At temperature 1 and full support both log-probs are one.
    const logProb = derivatives.logProb.map((value, row) =>
      plain ? value + (rawLogProb[row] as number) : value,
    );
    const takenScale = logProb.map((value, row) =>
      plain
        ? value
        : value * (microbatch.inverseTemperatures?.[row] as number) + (rawLogProb[row] as number),
    );
    feeds.set("derivatives", column(logProb));
    feeds.set("takenScale", column(takenScale));
    if (variant.entropy) feeds.set("entropyDerivatives", column(entropy));
    if (variant.raw) feeds.set("rawDerivatives", column(rawLogProb));
    const { batch, length, rows } = microbatch;
    const inverse = new Int32Array(batch * length).fill(rows.length);
    rows.forEach((row, index) => (inverse[row] = index));
    feeds.set("inverse", { shape: [inverse.length], data: inverse });
    feeds.set("negatedSines", this.#tablesOf(length).get("negatedSines") as Feed);
    const outputs = await graph.run(feeds);
    return new Map(Array.from(outputs, ([name, data]) => [gradients.get(name) ?? name, data]));
  }

  async dispose(): Promise<void> {
    for (const loading of this.#graphs.values()) await (await loading).graph.dispose();
    this.#graphs.clear();
  }

  #load(variant: GraphVariant): Promise<LoadedGraph> {
    const key = JSON.stringify(variant);
    let loading = this.#graphs.get(key);
    if (loading === undefined) {
      const { bytes, gradients } = buildTrainingGraph(this.#config, variant, this.#trained);
      loading = OnnxGraph.create(bytes, this.#threads).then((graph) => ({ graph, gradients }));
      this.#graphs.set(key, loading);
    }
    return loading;
  }

  #feeds(weights: TensorMap, microbatch: Microbatch): Map<string, Feed> {
    const { batch, length, ids, rows, targets, inverseTemperatures } = microbatch;
    const feeds = new Map<string, Feed>(weights);
    for (const [name, shape] of Object.entries(shapeInputs(this.#config, batch, length))) {
      feeds.set(name, { shape: [shape.length], data: BigInt64Array.from(shape, BigInt) });
    }
    const tables = this.#tablesOf(length);
    for (const name of ["cosines", "sines", "mask"]) feeds.set(name, tables.get(name) as Feed);
    feeds.set("ids", { shape: [ids.length], data: ids });
    feeds.set("rows", { shape: [rows.length], data: rows });
    feeds.set("targets", { shape: [targets.length, 1], data: targets });
    if (inverseTemperatures !== null) {
      feeds.set("inverseTemperatures", {
        shape: [rows.length, 1],
        data: inverseTemperatures,
      });
    }
    if (microbatch.keptTokenIds !== null) {
      feeds.set("keptMask", keptMask(microbatch.keptTokenIds, this.#config.vocabularySize));
    }
    return feeds;
  }

  #tablesOf(length: number): ReadonlyMap<string, Feed> {
    if (this.#tables?.length === length) return this.#tables.feeds;
    const { cosines, sines } = ropeTables(this.#config, length);
    const mask = new Float32Array(length * length);
    for (let query = 0; query < length; query++) {
      mask.fill(-MASKED, query * length + query + 1, (query + 1) * length);
    }
    const shape = [length, this.#config.headSize / 2];
    const feeds = new Map<string, Feed>([
      ["cosines", { shape, data: cosines }],
      ["sines", { shape, data: sines }],
      ["negatedSines", { shape, data: sines.map((sine) => -sine) }],
      ["mask", { shape: [length, length], data: mask }],
    ]);
    this.#tables = { length, feeds };
    return feeds;
  }
}

function variantOf(microbatch: Microbatch, pass: "forward" | "backward"): GraphVariant {
  return {
    pass,
    tempered: microbatch.inverseTemperatures !== null,
    masked: microbatch.keptTokenIds !== null,
    entropy: false,
    raw: false,
  };
}

function keptMask(
  keptTokenIds: readonly (readonly number[] | null)[],
  vocabularySize: number,
): Tensor {
  const data = new Float32Array(keptTokenIds.length * vocabularySize);
  keptTokenIds.forEach((kept, row) => {
    if (kept === null) return;
    const start = row * vocabularySize;
    data.fill(-MASKED, start, start + vocabularySize);
    for (const id of kept) data[start + id] = 0;
  });
  return { shape: [keptTokenIds.length, vocabularySize], data };
}
