/**
 * Weights that several graphs of one model share as inputs, so that they are in memory once. The
 * first graph fills the store, further graphs declare its tensors as inputs.
 */
import type { OnnxData, OnnxDataType } from "../onnx/onnx-wire.ts";

/** Weights shared by several graphs of one model. */
export interface WeightStore {
  /** Stored tensors by the name of the graph input. */
  readonly tensors: ReadonlyMap<
    string,
    { readonly type: OnnxDataType; readonly shape: readonly number[] }
  >;
  /** Takes ownership of a tensor and its `data`. */
  add(name: string, type: OnnxDataType, shape: readonly number[], data: OnnxData): Promise<void>;
}
