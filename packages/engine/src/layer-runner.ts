/**
 * Runs a decoder layer by layer: one graph for all layers, fed with each layer's weights. The forward
 * pass keeps only the input of each layer; the backward pass computes each layer again from it
 * (Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, arXiv:1604.06174). Logits come in
 * tiles. A third more arithmetic than `WholeRunner`, for memory that hardly grows with depth.
 */
import type { DecoderConfig, ResidentWeight } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { ChunkedHead } from "./chunked-head.ts";
import type { DecoderRunner, LoadGraph, RowDerivatives, RowOutputs } from "./decoder-runner.ts";
import { graphMatrix, matrixFeeds } from "./graph-matrix.ts";
import type { Feed, GraphMatrix } from "./graph-matrix.ts";
import { LayerFeeds } from "./layer-feeds.ts";
import { buildLayerGraph, buildNormGraph, HIDDEN_GRADIENT, layerTensors } from "./layer-graph.ts";
import type { Microbatch } from "./microbatch.ts";
import type { OnnxGraph } from "./onnx-graph.ts";
import { EMBEDDING, headName } from "./training-graph.ts";

const FINAL_NORM = "model.norm.weight";

export type LayerRunnerOptions = {
  readonly config: DecoderConfig;
  /** Read in place, never written to unless it is trained. */
  readonly weights: ReadonlyMap<string, ResidentWeight>;
  /** Trained beside frozen weights; null: the weights themselves are trained, all in float32. */
  readonly adapter: {
    readonly rank: number;
    readonly alpha: number;
    readonly parameters: TensorMap;
  } | null;
  readonly load: LoadGraph;
  /** Of the device that `load` loads onto. */
  readonly savesNormScale: boolean;
  /** Most logits of one tile of the head. Default: that of `ChunkedHead`. */
  readonly tileLogits?: number;
};

type Layer = {
  readonly feeds: readonly (readonly [string, Feed])[];
  /** Name of a trained tensor within the graph, and of the parameter. */
  readonly trained: readonly (readonly [string, string])[];
};

export class LayerRunner implements DecoderRunner {
  readonly parameters: TensorMap;
  readonly #config: DecoderConfig;
  readonly #layers: readonly Layer[];
  readonly #embedding: GraphMatrix;
  readonly #finalNorm: Tensor;
  readonly #head: ChunkedHead;
  readonly #layerFeeds: LayerFeeds;
  readonly #graphs: { readonly [name in GraphName]: () => Promise<OnnxGraph> };
  readonly #isFull: boolean;
  #gradients = new Map<string, Float32Array>();
  readonly #loaded: Promise<OnnxGraph>[] = [];

  constructor(options: LayerRunnerOptions) {
    const { config, weights, adapter, load, tileLogits } = options;
    this.#config = config;
    this.#isFull = adapter === null;
    this.parameters = adapter?.parameters ?? new Map(plainTensors(weights));
    this.#embedding = graphMatrix(weights.get(EMBEDDING) as ResidentWeight);
    this.#finalNorm = weights.get(FINAL_NORM) as Tensor;
    this.#layerFeeds = new LayerFeeds(config);
    this.#layers = Array.from({ length: config.layers }, (_, layer) =>
      makeLayer(layerTensors(config, layer), weights, adapter?.parameters ?? null),
    );
    const head = headName(config);
    this.#head = new ChunkedHead(
      head === EMBEDDING ? this.#embedding : graphMatrix(weights.get(head) as ResidentWeight),
      { load, ...(tileLogits === undefined ? {} : { tileLogits }) },
    );
    const layerOptions = {
      config,
      savesNormScale: options.savesNormScale,
      format: formatOf(weights, config),
      lora: adapter && { rank: adapter.rank, scale: adapter.alpha / adapter.rank },
      trained: new Set(this.#layers[0]?.trained.map(([name]) => name)),
    };
    const once = (build: () => Uint8Array): (() => Promise<OnnxGraph>) => {
      let loading: Promise<OnnxGraph> | undefined;
      return () => {
        if (loading === undefined) {
          loading = load(build());
          this.#loaded.push(loading);
        }
        return loading;
      };
    };
    this.#graphs = {
      layer: once(() => buildLayerGraph(layerOptions, "forward")),
      layerGradient: once(() => buildLayerGraph(layerOptions, "backward")),
      norm: once(() => buildNormGraph(layerOptions, "forward")),
      normGradient: once(() => buildNormGraph(layerOptions, "backward")),
    };
  }

  async forward(microbatch: Microbatch): Promise<RowOutputs> {
    const hidden = await this.#finalHidden(microbatch, () => {});
    return this.#head.outputs(await this.#normalize(hidden), microbatch);
  }

  async backward(microbatch: Microbatch, derivatives: RowDerivatives): Promise<void> {
    const inputs: Float32Array[] = [];
    const hidden = await this.#finalHidden(microbatch, (input) => inputs.push(input));
    const normal = await this.#normalize(hidden);
    const normalGradient = await this.#head.gradient(
      normal,
      microbatch,
      derivatives,
      this.#isFull ? this.#accumulator(headName(this.#config)) : null,
    );
    let gradient = await this.#normGradient(hidden, normalGradient, microbatch);
    const graph = await this.#graphs.layerGradient();
    const shared = this.#layerFeeds.of(microbatch, "backward", 1);
    for (let layer = this.#layers.length - 1; layer >= 0; layer--) {
      const { feeds, trained } = this.#layers[layer] as Layer;
      const outputs = await graph.run(
        new Map<string, Feed>([
          ...shared,
          ...feeds,
          ["hidden", this.#matrix(inputs.pop() as Float32Array)],
          ["outputGradient", this.#matrix(gradient)],
        ]),
      );
      for (const [name, parameter] of trained) {
        addTo(this.#accumulator(parameter), outputs.get(`gradient:${name}`) as Float32Array);
      }
      gradient = outputs.get(HIDDEN_GRADIENT) as Float32Array;
    }
    if (this.#isFull) this.#addEmbedded(microbatch.ids, gradient);
  }

  async gradients(): Promise<ReadonlyMap<string, Float32Array>> {
    return this.#gradients;
  }

  dropGradients(): void {
    this.#gradients = new Map();
  }

  /** Graphs read the parameters themselves. */
  async refresh(): Promise<void> {}

  async dispose(): Promise<void> {
    await this.#head.dispose();
    for (const graph of this.#loaded) await (await graph).dispose();
  }

  /** The last layer's output for the asked rows, `[K, C]`. */
  async #finalHidden(
    microbatch: Microbatch,
    keep: (input: Float32Array) => void,
  ): Promise<Float32Array> {
    const { width } = this.#config;
    const { ids, rows } = microbatch;
    const graph = await this.#graphs.layer();
    const shared = this.#layerFeeds.of(microbatch, "forward", 1);
    let hidden: Float32Array = new Float32Array(ids.length * width);
    ids.forEach((id, place) => hidden.set(this.#embedding.read(id, id + 1), place * width));
    for (const { feeds } of this.#layers) {
      keep(hidden);
      const outputs = await graph.run(
        new Map<string, Feed>([...shared, ...feeds, ["hidden", this.#matrix(hidden)]]),
      );
      hidden = outputs.get("output") as Float32Array;
    }
    const asked = new Float32Array(rows.length * width);
    rows.forEach((row, place) => {
      asked.set(hidden.subarray(row * width, (row + 1) * width), place * width);
    });
    return asked;
  }

  async #normalize(hidden: Float32Array): Promise<Float32Array> {
    const graph = await this.#graphs.norm();
    const outputs = await graph.run(
      new Map([
        ["hidden", this.#matrix(hidden)],
        ["weight", this.#finalNorm],
      ]),
    );
    return outputs.get("output") as Float32Array;
  }

  /** @returns the gradient of the last layer's output, `[N, C]`, zero in rows that nobody asked. */
  async #normGradient(
    hidden: Float32Array,
    outputGradient: Float32Array,
    { rows, ids }: Microbatch,
  ): Promise<Float32Array> {
    const { width } = this.#config;
    const graph = await this.#graphs.normGradient();
    const outputs = await graph.run(
      new Map([
        ["hidden", this.#matrix(hidden)],
        ["weight", this.#finalNorm],
        ["outputGradient", this.#matrix(outputGradient)],
      ]),
    );
    if (this.#isFull) {
      addTo(this.#accumulator(FINAL_NORM), outputs.get("gradient:weight") as Float32Array);
    }
    const asked = outputs.get(HIDDEN_GRADIENT) as Float32Array;
    const gradient = new Float32Array(ids.length * width);
    rows.forEach((row, place) => {
      gradient.set(asked.subarray(place * width, (place + 1) * width), row * width);
    });
    return gradient;
  }

  #addEmbedded(ids: Int32Array, gradient: Float32Array): void {
    const { width } = this.#config;
    const sum = this.#accumulator(EMBEDDING);
    ids.forEach((id, place) => {
      const row = sum.subarray(id * width, (id + 1) * width);
      addTo(row, gradient.subarray(place * width, (place + 1) * width));
    });
  }

  #accumulator(parameter: string): Float32Array {
    let sum = this.#gradients.get(parameter);
    if (sum === undefined) {
      sum = new Float32Array((this.parameters.get(parameter) as Tensor).data.length);
      this.#gradients.set(parameter, sum);
    }
    return sum;
  }

  #matrix(data: Float32Array): Tensor {
    const { width } = this.#config;
    return { shape: [data.length / width, width], data };
  }
}

type GraphName = "layer" | "layerGradient" | "norm" | "normGradient";

function makeLayer(
  names: ReturnType<typeof layerTensors>,
  weights: ReadonlyMap<string, ResidentWeight>,
  adapter: TensorMap | null,
): Layer {
  const feeds = [...names.weights].flatMap(([stored, name]) => {
    const weight = weights.get(stored) as ResidentWeight;
    if ("bits" in weight) return matrixFeeds(name, graphMatrix(weight));
    return [[name, weight] as const];
  });
  if (adapter === null) {
    return { feeds, trained: [...names.weights].map(([stored, name]) => [name, stored] as const) };
  }
  const adapters = [...names.adapter].map(
    ([stored, name]) => [name, adapter.get(stored) as Tensor] as const,
  );
  return {
    feeds: [...feeds, ...adapters],
    trained: [...names.adapter].map(([stored, name]) => [name, stored] as const),
  };
}

function formatOf(
  weights: ReadonlyMap<string, ResidentWeight>,
  config: DecoderConfig,
): GraphMatrix["format"] {
  const [first] = layerTensors(config, 0).weights.keys();
  return graphMatrix(weights.get(first as string) as ResidentWeight).format;
}

function* plainTensors(
  weights: ReadonlyMap<string, ResidentWeight>,
): Generator<readonly [string, Tensor]> {
  for (const [name, weight] of weights) if (!("bits" in weight)) yield [name, weight];
}

function addTo(sum: Float32Array, part: Float32Array): void {
  for (let i = 0; i < part.length; i++) sum[i] = (sum[i] as number) + (part[i] as number);
}
