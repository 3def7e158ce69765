/** Arrays in the processor's memory that ONNX graphs are fed. */
import type { Tensor } from "@waggle/protocol";

/** Integer inputs of the graphs. */
export type IntegerTensor = {
  readonly shape: readonly number[];
  readonly data: Int32Array | BigInt64Array | Uint8Array;
};

/** float16 numbers, as their bits. */
type HalfTensor = { readonly shape: readonly number[]; readonly data: Uint16Array };

/** What graphs are fed from the processor's memory. */
export type AnyTensor = Tensor | HalfTensor | IntegerTensor;
