/**
 * What an engine asks of the graphs of one decoder: per-token outputs of a microbatch, and gradients
 * that add up. Holds what is trained; knows no optimizer.
 */
import type { Adapter } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { Microbatch } from "../batch/microbatch.ts";
import type { OnnxGraph } from "../onnx/onnx-graph.ts";

/** `[P]` derivatives in the order of the microbatch's asked tokens. */
export type LogitDerivatives = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
  /** Of the candidates of each row, or null where no row has a derivative. */
  readonly candidateLogProbs: readonly (Float32Array | null)[] | null;
};

export type RowDerivatives = LogitDerivatives & {
  /** `[K, C]`, of the final hidden states beside what logits give; null for none. */
  readonly hiddenGradient: Float32Array | null;
};

/** `[P]` outputs in the order of the microbatch's asked tokens. */
export type LogitOutputs = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
  readonly sumSquaredProb: Float32Array;
  /** Of the candidates of each row, or null where no row has candidates. */
  readonly candidateLogProbs: readonly (Float32Array | null)[] | null;
};

export type RowOutputs = LogitOutputs & {
  /** `[K, C]`: hidden states after the final norm, where values are asked for. */
  readonly hidden: Float32Array | null;
};

/** Loads an ONNX graph on the engine's device, of which an output may be held there. */
export type LoadGraph = (bytes: Uint8Array, held?: string) => Promise<OnnxGraph>;

export interface DecoderRunner {
  /** What is trained, updated in place by the optimizer. */
  readonly parameters: TensorMap;
  forward(microbatch: Microbatch): Promise<RowOutputs>;
  /** Adds to the gradients. @returns `hidden` as `forward` does. */
  backward(microbatch: Microbatch, derivatives: RowDerivatives): Promise<Float32Array | null>;
  /** Accumulated gradients by parameter name; an absent one is zero. Owned by the runner. */
  gradients(): Promise<ReadonlyMap<string, Float32Array>>;
  /** Back to zero. */
  dropGradients(): void;
  /** Of `GradientScale`, since gradients were last dropped. */
  readonly overflows: number;
  /** Must be called after `parameters` changed. */
  parametersChanged(): Promise<void>;
  /** Leaves what is shared to the base. */
  dispose(): Promise<void>;
}

/** What the runners of one decoder share: its base, and graphs that serve adapters of any rank. */
export interface DecoderBase {
  /**
   * @param adapter where training starts; null where every parameter is trained, which only one
   *   runner of a base can do.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter is not one of this decoder.
   */
  createRunner(adapter: Adapter | null): DecoderRunner;
  dispose(): Promise<void>;
}
