/** Arrays in host memory that ONNX graphs take as inputs. */
import type { Tensor } from "@waggle/protocol";

/** Integer inputs of the graphs. */
export type IntegerTensor = {
  readonly shape: readonly number[];
  readonly data: Int32Array | BigInt64Array | Uint8Array;
};

/** float16 numbers as their bits. */
type HalfTensor = { readonly shape: readonly number[]; readonly data: Uint16Array };

/** Any array in host memory that a graph can take. */
export type AnyTensor = Tensor | HalfTensor | IntegerTensor;
