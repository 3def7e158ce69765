/**
 * Shared by layer-by-layer runners of one decoder: stored weights, one graph for all layers and
 * adapters, and tiles of the head. Loads graphs when first needed.
 */
import type { Adapter, DecoderConfig, ResidentWeight } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { ChunkedHead } from "../decoder/chunked-head.ts";
import type { DecoderBase, LoadGraph } from "../decoder/decoder-runner.ts";
import { graphMatrix, matrixFeeds } from "../graphs/graph-matrix.ts";
import type { GraphMatrix } from "../graphs/graph-matrix.ts";
import type { GraphTraits } from "../graphs/graph-tape.ts";
import { LayerFeeds } from "./layer-feeds.ts";
import {
  buildLayerGraph,
  buildNormGraph,
  HIDDEN_GRADIENT,
  LAYER_OUTPUT,
  layerTensors,
} from "../graphs/layer-graph.ts";
import type { LayerGraphName, LayerParts, NamedFeeds } from "../layer-parts.ts";
import { LayerRunner } from "./layer-runner.ts";
import type { OnnxGraph } from "./onnx-graph.ts";
import type { ResidentTensors } from "./resident-tensors.ts";
import { EMBEDDING, FINAL_NORM, headName } from "../graphs/training-graph.ts";

export type LayerBaseOptions = {
  readonly config: DecoderConfig;
  /** Read in place, never written to unless trained. */
  readonly weights: ReadonlyMap<string, ResidentWeight>;
  /** `full`: the weights themselves are trained, all in float32. */
  readonly trains: "lora" | "full";
  readonly load: LoadGraph;
  /** Traits of the device that `load` targets. */
  readonly traits: GraphTraits;
  /** Tensors kept by the device that `load` targets. */
  readonly resident: ResidentTensors | null;
  /** Maximum logits of one tile of the head. Default: that of `ChunkedHead`. */
  readonly tileLogits?: number;
};

export class LayerBase implements DecoderBase, LayerParts {
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  readonly traits: GraphTraits;
  /** The float32 weights, by name. */
  readonly tensors: TensorMap;
  readonly embedding: GraphMatrix;
  readonly finalNorm: Tensor;
  readonly head: ChunkedHead;
  readonly layerFeeds: LayerFeeds;
  readonly resident: ResidentTensors | null;
  /** Weights of each layer. */
  readonly layers: readonly NamedFeeds[];
  readonly graphs: { readonly [name in LayerGraphName]: () => Promise<OnnxGraph> };
  readonly #loaded: Promise<OnnxGraph>[] = [];

  constructor(options: LayerBaseOptions) {
    const { config, weights, trains, load, tileLogits, traits, resident } = options;
    this.config = config;
    this.trains = trains;
    this.traits = traits;
    this.resident = resident;
    const matrix = (name: string): GraphMatrix =>
      graphMatrix(weights.get(name) as ResidentWeight, !traits.hasAllKernels);
    this.tensors = new Map(plainTensors(weights));
    this.embedding = matrix(EMBEDDING);
    this.finalNorm = weights.get(FINAL_NORM) as Tensor;
    this.layerFeeds = new LayerFeeds(config, resident);
    this.layers = Array.from({ length: config.layers }, (_, layer) =>
      [...layerTensors(config, layer).weights].flatMap(([stored, name]) => {
        const weight = weights.get(stored) as ResidentWeight;
        if ("bits" in weight) return matrixFeeds(name, matrix(stored));
        return [[name, weight] as const];
      }),
    );
    resident?.keep(this.layers.flat().map(([, feed]) => feed));
    resident?.keep([this.finalNorm]);
    const head = headName(config);
    this.head = new ChunkedHead(head === EMBEDDING ? this.embedding : matrix(head), {
      load,
      resident,
      products: traits.products,
      ...(tileLogits === undefined ? {} : { tileLogits }),
    });
    const { weights: names, adapter } = layerTensors(config, 0);
    const graphOptions = {
      config,
      traits,
      format: matrix([...names.keys()][0] as string).format,
      isLora: trains === "lora",
      trained: new Set((trains === "lora" ? adapter : names).values()),
    };
    const once = (build: () => Uint8Array, held?: string): (() => Promise<OnnxGraph>) => {
      let loading: Promise<OnnxGraph> | undefined;
      return () => {
        if (loading === undefined) {
          loading = load(build(), held);
          this.#loaded.push(loading);
        }
        return loading;
      };
    };
    this.graphs = {
      layer: once(() => buildLayerGraph(graphOptions, "forward"), LAYER_OUTPUT),
      layerGradient: once(
        () => buildLayerGraph(graphOptions, "backward"),
        // with float16 products the gradients must be read to find their scale
        traits.products === "f32" ? HIDDEN_GRADIENT : undefined,
      ),
      norm: once(() => buildNormGraph(graphOptions, "forward")),
      normGradient: once(() => buildNormGraph(graphOptions, "backward")),
    };
  }

  createRunner(adapter: Adapter | null): LayerRunner {
    return new LayerRunner(this, adapter);
  }

  async dispose(): Promise<void> {
    await this.head.dispose();
    for (const graph of this.#loaded) await (await graph).dispose();
  }
}

function* plainTensors(
  weights: ReadonlyMap<string, ResidentWeight>,
): Generator<readonly [string, Tensor]> {
  for (const [name, weight] of weights) if (!("bits" in weight)) yield [name, weight];
}
