/** What one decoder is: its type, its sizes and what mixes positions in each layer. */
import type { RopeScaling } from "./rope-config.ts";

export const MODEL_TYPES = ["llama", "qwen2", "qwen3", "gemma3_text", "smollm3", "lfm2"] as const;

/** `gemma3_text` is also the text half of a `gemma3` checkpoint. */
export type DecoderModelType = (typeof MODEL_TYPES)[number];

/**
 * What mixes positions in a layer: attention over everything, without rotary positions, within the
 * sliding window and with the local rope theta, or a short convolution.
 */
export type LayerKind = "attention" | "unrotated" | "sliding" | "convolution";

/** A decoder with RMSNorm, rotary positions, grouped-query attention and a gated MLP. Sizes in elements. */
export type DecoderConfig = {
  /** What else sets the types apart is in `architectureOf`. */
  readonly modelType: DecoderModelType;
  readonly vocabularySize: number;
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  readonly keyValueHeads: number;
  readonly headSize: number;
  readonly feedForwardSize: number;
  readonly ropeTheta: number;
  readonly rmsNormEpsilon: number;
  /** The embedding matrix also makes the logits. */
  readonly tiedEmbeddings: boolean;
  /** Positions the model was made for. */
  readonly contextLength: number;
  readonly ropeScaling: RopeScaling | null;
  /** `[layers]`. Absent: `attention` in all. */
  readonly layerKinds?: readonly LayerKind[];
  /** Tokens that a sliding layer sees, its own among them. There where a layer is sliding. */
  readonly slidingWindow?: number;
  /** Of sliding layers, which no scaling concerns. */
  readonly localRopeTheta?: number;
  /** Scores are divided by its square root. Absent: the head size. */
  readonly queryScalar?: number;
  /** Positions that a convolution sees, its own among them. There where a layer is a convolution. */
  readonly convolutionSize?: number;
};

/** @param layer 0 to `layers` - 1. */
export function layerKind(config: DecoderConfig, layer: number): LayerKind {
  return config.layerKinds?.[layer] ?? "attention";
}
