/**
 * What an engine asks of the graphs of one decoder: per-token outputs of a microbatch, and gradients
 * that add up. Holds what is trained; knows no optimizer.
 */
import type { TensorMap } from "@waggle/protocol";
import type { Microbatch } from "./microbatch.ts";
import type { OnnxGraph } from "./onnx-graph.ts";

/** `[K]` derivatives in the order of the microbatch's asked tokens. */
export type RowDerivatives = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
  /** Of the candidates of each row, or null where no row has a derivative. */
  readonly candidateLogProbs: readonly (Float32Array | null)[] | null;
};

/** `[K]` outputs in the order of the microbatch's asked tokens. */
export type RowOutputs = {
  readonly logProb: Float32Array;
  readonly rawLogProb: Float32Array;
  readonly entropy: Float32Array;
  readonly sumSquaredProb: Float32Array;
  /** Of the candidates of each row, or null where no row has candidates. */
  readonly candidateLogProbs: readonly (Float32Array | null)[] | null;
};

/** Loads an ONNX graph on the engine's device. */
export type LoadGraph = (bytes: Uint8Array) => Promise<OnnxGraph>;

export interface DecoderRunner {
  /** What is trained, updated in place by the optimizer. */
  readonly parameters: TensorMap;
  forward(microbatch: Microbatch): Promise<RowOutputs>;
  /** Adds to the gradients. */
  backward(microbatch: Microbatch, derivatives: RowDerivatives): Promise<void>;
  /** Accumulated gradients by parameter name; an absent one is zero. Owned by the runner. */
  gradients(): Promise<ReadonlyMap<string, Float32Array>>;
  /** Back to zero. */
  dropGradients(): void;
  /** Must be called after `parameters` changed. */
  refresh(): Promise<void>;
  dispose(): Promise<void>;
}
