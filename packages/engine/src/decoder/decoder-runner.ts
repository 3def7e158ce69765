/**
 * The interface between an engine and the graphs of one decoder: per-token outputs of a microbatch,
 * and gradients that add up. Owns the trained parameters; does not know the optimizer.
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
  /** By row, one per candidate; null where no row has a derivative. */
  readonly candidateLogProbs: readonly (Float32Array | null)[] | null;
};

/** Derivatives of logits and of the hidden states that value heads read. */
export type RowDerivatives = LogitDerivatives & {
  /** `[K, C]`, added to the gradient that the logits give; null for none. */
  readonly hiddenGradient: Float32Array | null;
};

/** `[P]` outputs in the order of the microbatch's asked tokens. */
export type LogitOutputs = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
  readonly sumSquaredProb: Float32Array;
  /** By row, one per candidate; null where no row has candidates. */
  readonly candidateLogProbs: readonly (Float32Array | null)[] | null;
};

/** Outputs of logits, and the hidden states for value heads. */
export type RowOutputs = LogitOutputs & {
  /** `[K, C]`: hidden states after the final norm, where values are asked for. */
  readonly hidden: Float32Array | null;
};

/** Loads an ONNX graph on the engine's device. `held` names an output that stays in device memory. */
export type LoadGraph = (bytes: Uint8Array, held?: string) => Promise<OnnxGraph>;

/** Runs one model's microbatches and accumulates its gradients. */
export interface DecoderRunner {
  /** The trained parameters, updated in place by the optimizer. */
  readonly parameters: TensorMap;
  forward(microbatch: Microbatch): Promise<RowOutputs>;
  /** Adds to the gradients. @returns `hidden`, as `forward` does. */
  backward(microbatch: Microbatch, derivatives: RowDerivatives): Promise<Float32Array | null>;
  /** Accumulated gradients by parameter name; an absent one is zero. Owned by the runner. */
  gradients(): Promise<ReadonlyMap<string, Float32Array>>;
  /** Resets the gradients to zero. */
  dropGradients(): void;
  /** `GradientScale.overflows` since gradients were last dropped. */
  readonly overflows: number;
  /** Must be called after `parameters` changed. */
  parametersChanged(): Promise<void>;
  /** Frees only what is not shared with the base. */
  dispose(): Promise<void>;
}

/** Shared by the runners of one decoder: its base, and graphs that serve adapters of any rank. */
export interface DecoderBase {
  /**
   * @param adapter where training starts; null to train every parameter, which only one runner of a
   *   base can do.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE` when the adapter is for another decoder.
   */
  createRunner(adapter: Adapter | null): DecoderRunner;
  dispose(): Promise<void>;
}
