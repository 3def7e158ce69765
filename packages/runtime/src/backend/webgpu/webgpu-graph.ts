/**
 * The seam between the decoder and onnxruntime's WebGPU provider: a graph that runs over buffers of a
 * device that is ours. `module-graph.ts` calls onnxruntime's C functions, `api-graph.ts` its JavaScript.
 */
import type { ElementType } from "../cpu/cpu-device.ts";
import type { SharedStepsClass } from "./shared-steps.ts";

export type GpuOperand = {
  readonly name: string;
  readonly type: ElementType | "u8";
  readonly shape: readonly number[];
  /** Its memory, or one i32 that is read on the host. */
  readonly value: GPUBuffer | number;
};

export interface WebgpuGraph {
  /**
   * Runs it, and submits to the device; what is submitted may still run. One run at a time.
   *
   * @param graphId - of the capture; -1 for none.
   */
  run(
    inputs: readonly GpuOperand[],
    outputs: readonly GpuOperand[],
    graphId: number,
  ): Promise<void>;
  /**
   * Steps of sequences that share a long beginning. Absent where scripts cannot be loaded later:
   * there each copies it.
   */
  readonly loadBranches?: () => Promise<SharedStepsClass>;
  /** Buffers that it ran over stay their owner's. */
  release(): Promise<void>;
}

/**
 * Opens a graph. One at a time.
 *
 * @param captures - runs with an id of 0 and more are captured once and then replayed.
 */
export type CreateWebgpuGraph = (
  model: Uint8Array,
  device: GPUDevice,
  captures: boolean,
) => Promise<WebgpuGraph>;
