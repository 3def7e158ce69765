/**
 * An activation passed between two graphs: an array, or a tensor that a graph left on the device,
 * which other graphs there take without a copy. Its single owner frees it.
 */
import type { Tensor } from "@waggle/protocol";
import type { Tensor as OrtTensor } from "onnxruntime-node";

/** A float32 tensor in the device's memory. */
export type DeviceTensor = { readonly shape: readonly number[]; readonly onDevice: OrtTensor };

export type HeldTensor = {
  /** Input for graphs. */
  readonly feed: Tensor | DeviceTensor;
  /** Its numbers; copied from the device if they are there. */
  readonly read: () => Promise<Float32Array>;
  /** Must be called once, after the last use. */
  readonly free: () => void;
};

/** Wraps an array without copying it. */
export function heldArray(feed: Tensor): HeldTensor {
  return { feed, read: async () => feed.data, free: () => {} };
}
