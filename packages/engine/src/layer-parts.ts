/** Shared by layer-by-layer runners of one decoder: stored weights, graphs, tiles of the head. */
import type { DecoderConfig } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { ChunkedHead } from "./decoder/chunked-head.ts";
import type { Feed, GraphMatrix } from "./graphs/graph-matrix.ts";
import type { GraphTraits } from "./graphs/graph-tape.ts";
import type { LayerFeeds } from "./onnx/layer-feeds.ts";
import type { OnnxGraph } from "./onnx/onnx-graph.ts";
import type { ResidentTensors } from "./onnx/resident-tensors.ts";

/** Feeds by name within a layer's graph. */
type NamedFeeds = readonly (readonly [string, Feed])[];

type LayerGraphName = "layer" | "layerGradient" | "norm" | "normGradient";

export type LayerParts = {
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
};
