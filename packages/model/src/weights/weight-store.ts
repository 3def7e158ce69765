/**
 * Where a decoder's weights are that its graphs take as inputs: what runs several graphs of one model
 * holds them once. The first graph fills it, the others declare what is there.
 */
import type { OnnxData, OnnxDataType } from "../onnx/onnx-wire.ts";

export interface WeightStore {
  /** What it has, by the name of the graph input. */
  readonly tensors: ReadonlyMap<
    string,
    { readonly type: OnnxDataType; readonly shape: readonly number[] }
  >;
  /** Takes a tensor over; `data` is its own from then on. */
  add(name: string, type: OnnxDataType, shape: readonly number[], data: OnnxData): Promise<void>;
}
