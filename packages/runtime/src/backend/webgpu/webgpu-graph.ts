/**
 * The interface between the decoder and onnxruntime's WebGPU provider: a graph that runs over
 * buffers of our own device. `module-graph.ts` calls onnxruntime's C functions, `api-graph.ts` its
 * JavaScript API.
 */
import type { ElementType } from "../cpu/cpu-device.ts";
import type { SharedStepsClass } from "./shared-steps.ts";

export type GpuOperand = {
  readonly name: string;
  readonly type: ElementType | "u8";
  readonly shape: readonly number[];
  /** Its memory, or an i32 that is read on the host. */
  readonly value: GPUBuffer | number;
};

export interface WebgpuGraph {
  /**
   * Runs the graph and submits its commands, which may still be executing afterwards. Runs must not
   * overlap.
   *
   * @param graphId - id of the capture; -1 for none.
   */
  run(
    inputs: readonly GpuOperand[],
    outputs: readonly GpuOperand[],
    graphId: number,
  ): Promise<void>;
  /**
   * Loads steps of sequences with a long common prefix. Absent where scripts cannot be loaded
   * later; forks then copy the prefix.
   */
  readonly loadBranches?: () => Promise<SharedStepsClass>;
  /** The owner of the buffers must free them. */
  release(): Promise<void>;
}

/**
 * Opens a graph. Calls must not overlap.
 *
 * @param captures - whether runs with an id of 0 or more are captured once and then replayed.
 */
export type CreateWebgpuGraph = (
  model: Uint8Array,
  device: GPUDevice,
  captures: boolean,
) => Promise<WebgpuGraph>;
