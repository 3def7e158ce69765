/**
 * The seam between caches that grow in place and the two builds of onnxruntime that run over them:
 * memory that can be cut into tensors, and graphs that are bound to such tensors once and then run
 * many times. No shapes of a decoder, no sampling.
 */
import type { OnnxModel } from "@waggle/model";
import type { Awaitable } from "../decoder-backend.ts";

/** Element types of tensors that are fed. */
export type ElementType = "f32" | "i32" | "f16";

/** Bytes at a fixed place, until freed. */
export interface CpuBuffer {
  readonly sizeBytes: number;
  /**
   * Numbers at an offset in bytes. The view holds until the device's memory grows, at an allocation or
   * a run: it is then empty, or, where threads share the memory, still right.
   */
  floats(offset: number, count: number): Float32Array;
  ints(offset: number, count: number): Int32Array;
  /** Copies bytes of a buffer of the same device, this one too; ranges may overlap. */
  copyFrom(source: CpuBuffer, sourceOffset: number, offset: number, bytes: number): void;
  fill(value: 0, offset: number, bytes: number): void;
  /** A second call does nothing. */
  free(): void;
}

/** A tensor over part of a buffer, under a name of the graph. */
export type Operand = {
  readonly name: string;
  readonly buffer: CpuBuffer;
  /** Bytes from the buffer's start. */
  readonly offset: number;
  readonly type: ElementType;
  readonly shape: readonly number[];
};

/** A graph with all inputs and outputs in place. */
export interface BoundRun {
  /** Reads the inputs as they are now and writes the outputs. */
  execute(): Awaitable<void>;
  release(): void;
}

/** A graph that is ready to run. */
export interface CpuProgram {
  /** Bytes its weights take. */
  readonly sizeBytes: number;
  /** Outputs may lie where inputs lie: attention then adds to keys and values in place. */
  bind(inputs: readonly Operand[], outputs: readonly Operand[]): BoundRun;
  release(): Awaitable<void>;
}

export interface CpuDevice {
  /** Which kernels compute, with their version. */
  readonly kernels: string;
  /**
   * True: each run copies its outputs, room that is not filled too. Rows then get little of it and
   * move more often.
   */
  readonly copiesOutputs: boolean;
  /** @throws WaggleError `OUT_OF_MEMORY` (retryable). */
  allocate(sizeBytes: number): CpuBuffer;
  /**
   * @throws WaggleError `OUT_OF_MEMORY` (retryable), `MODEL_UNSUPPORTED` where the graph is refused.
   */
  load(graph: OnnxModel): Promise<CpuProgram>;
  /** Frees everything that is left on it. */
  dispose(): void;
}
