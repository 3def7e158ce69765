/**
 * Shared by layer-by-layer runners of one decoder: stored weights, one graph for all layers and
 * adapters, and tiles of the head. Loads graphs when first needed.
 */
import type { Adapter, DecoderConfig, ResidentWeight } from "@waggle/model";
import type { Tensor } from "@waggle/protocol";
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
import type { LayerParts } from "../layer-parts.ts";
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

export class LayerBase implements DecoderBase {
  readonly #parts: LayerParts;
  readonly #loaded: Promise<OnnxGraph>[] = [];

  constructor(options: LayerBaseOptions) {
    const { config, weights, trains, load, tileLogits, traits, resident } = options;
    const matrix = (name: string): GraphMatrix =>
      graphMatrix(weights.get(name) as ResidentWeight, !traits.hasAllKernels);
    const embedding = matrix(EMBEDDING);
    const finalNorm = weights.get(FINAL_NORM) as Tensor;
    const layerFeeds = new LayerFeeds(config, resident);
    const layers: LayerParts["layers"] = Array.from({ length: config.layers }, (_, layer) =>
      [...layerTensors(config, layer).weights].flatMap(([stored, name]) => {
        const weight = weights.get(stored) as ResidentWeight;
        if ("bits" in weight) return matrixFeeds(name, matrix(stored));
        return [[name, weight] as const];
      }),
    );
    resident?.keep(layers.flat().map(([, feed]) => feed));
    resident?.keep([finalNorm]);
    const headMatrix = headName(config);
    const head = new ChunkedHead(headMatrix === EMBEDDING ? embedding : matrix(headMatrix), {
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
    const graphs = {
      layer: once(() => buildLayerGraph(graphOptions, "forward"), LAYER_OUTPUT),
      layerGradient: once(
        () => buildLayerGraph(graphOptions, "backward"),
        // with float16 products the gradients must be read to find their scale
        traits.products === "f32" ? HIDDEN_GRADIENT : undefined,
      ),
      norm: once(() => buildNormGraph(graphOptions, "forward")),
      normGradient: once(() => buildNormGraph(graphOptions, "backward")),
    };
    this.#parts = {
      config,
      trains,
      traits,
      tensors: new Map(plainTensors(weights)),
      embedding,
      finalNorm,
      head,
      layerFeeds,
      resident,
      layers,
      graphs,
    };
  }

  createRunner(adapter: Adapter | null): LayerRunner {
    return new LayerRunner(this.#parts, adapter);
  }

  async dispose(): Promise<void> {
    await this.#parts.head.dispose();
    for (const graph of this.#loaded) await (await graph).dispose();
  }
}

function* plainTensors(
  weights: ReadonlyMap<string, ResidentWeight>,
): Generator<readonly [string, Tensor]> {
  for (const [name, weight] of weights) if (!("bits" in weight)) yield [name, weight];
}
