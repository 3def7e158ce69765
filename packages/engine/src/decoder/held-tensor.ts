/**
 * An activation between two graphs: an array, or what a graph left on the device, which other graphs of
 * that device take without a copy. Has one owner, who frees it.
 */
import type { Tensor } from "@waggle/protocol";
import type { Tensor as OrtTensor } from "onnxruntime-node";

/** A float32 tensor in the device's memory. */
export type DeviceTensor = { readonly shape: readonly number[]; readonly onDevice: OrtTensor };

export type HeldTensor = {
  /** What graphs are fed. */
  readonly feed: Tensor | DeviceTensor;
  /** Its numbers, copied from the device where they are there. */
  readonly read: () => Promise<Float32Array>;
  /** Once, after the last use. */
  readonly free: () => void;
};

/** Of an array, which is not copied. */
export function heldArray(feed: Tensor): HeldTensor {
  return { feed, read: async () => feed.data, free: () => {} };
}
