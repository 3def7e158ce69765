/**
 * The interface between caches that grow in place and the two builds of onnxruntime: memory that
 * can be divided into tensors, and graphs that are bound to such tensors once and run many times.
 * It knows nothing of decoders or sampling.
 */
import type { OnnxModel } from "@waggle/model";
import type { Awaitable } from "../decoder-backend.ts";

/** Element types of input tensors. */
export type ElementType = "f32" | "i32" | "f16";

/** Bytes at a fixed place until freed. */
export interface CpuBuffer {
  readonly sizeBytes: number;
  /**
   * Numbers at an offset in bytes. The view is valid until the device's memory grows, by an
   * allocation or a run. Then it is empty or, if threads share the memory, still valid.
   */
  floats(offset: number, count: number): Float32Array;
  ints(offset: number, count: number): Int32Array;
  /** Copies bytes from a buffer of the same device, possibly this one; ranges may overlap. */
  copyFrom(source: CpuBuffer, sourceOffset: number, offset: number, bytes: number): void;
  fill(value: 0, offset: number, bytes: number): void;
  /** A second call does nothing. */
  free(): void;
}

/** A tensor over part of a buffer, with its name in the graph. */
export type Operand = {
  readonly name: string;
  readonly buffer: CpuBuffer;
  /** Bytes from the start of the buffer. */
  readonly offset: number;
  readonly type: ElementType;
  readonly shape: readonly number[];
};

/** A graph whose inputs and outputs are bound. */
export interface BoundRun {
  /** Reads the current inputs and writes the outputs. */
  execute(): Awaitable<void>;
  release(): void;
}

/** A loaded graph. */
export interface CpuProgram {
  /** Bytes of its weights. */
  readonly sizeBytes: number;
  /** Outputs may overlap inputs, so that attention extends keys and values in place. */
  bind(inputs: readonly Operand[], outputs: readonly Operand[]): BoundRun;
  release(): Awaitable<void>;
}

export interface CpuDevice {
  /** Name and version of the kernels. */
  readonly kernels: string;
  /**
   * Whether each run copies its outputs including unused room. Rows then get little room and move
   * more often.
   */
  readonly copiesOutputs: boolean;
  /** @throws WaggleError `OUT_OF_MEMORY` (retryable). */
  allocate(sizeBytes: number): CpuBuffer;
  /**
   * @throws WaggleError `OUT_OF_MEMORY` (retryable), `MODEL_UNSUPPORTED` if the graph is refused.
   */
  load(graph: OnnxModel): Promise<CpuProgram>;
  /** Frees everything left on the device. */
  dispose(): void;
}
