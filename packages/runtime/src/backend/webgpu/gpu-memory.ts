/**
 * Counts every buffer on one GPU device by use, including onnxruntime's: the device's
 * `createBuffer` is wrapped. Also turns running out of memory and losing the device into typed
 * errors.
 */
import { WaggleError } from "@waggle/protocol";
import type { BackendMemory } from "../decoder-backend.ts";

/** What a buffer is for. */
export type BufferUse = keyof BackendMemory;

const COPY_BOTH_WAYS = 0x0004 | 0x0008; // GPUBufferUsage.COPY_SRC | COPY_DST
/** Usage of buffers for kernels and copies. */
const STORAGE: GPUBufferUsageFlags = 0x0080 | COPY_BOTH_WAYS;
/** Usage of buffers that are read back. */
export const READBACK: GPUBufferUsageFlags = 0x0001 | 0x0008; // MAP_READ | COPY_DST
/** Usage of a kernel's constants. */
export const UNIFORM: GPUBufferUsageFlags = 0x0040 | 0x0008; // UNIFORM | COPY_DST

/** How long a failed result waits for the news that the device is lost, in milliseconds. */
const NEWS_MS = 50;

export class GpuMemory {
  readonly device: GPUDevice;
  readonly #live = new Map<GPUBuffer, { readonly use: BufferUse; readonly bytes: number }>();
  readonly #create: GPUDevice["createBuffer"];
  #lost: WaggleError | null = null;
  #waiting: ((error: WaggleError) => void) | null = null;

  constructor(device: GPUDevice) {
    this.device = device;
    this.#create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => this.#counted("scratch", descriptor);
    void device.lost.then(({ reason, message }) => {
      this.#lost = new WaggleError(
        "DEVICE_LOST",
        `the GPU device was lost (${reason || "unknown"}: ${message.slice(0, 200)}); open the policy again, its contexts are recomputed from their tokens`,
        { retryable: true },
      );
      this.#waiting?.(this.#lost);
    });
    // A refused command leaves old numbers in its memory, so all later results are invalid.
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#lost ??= refusal(error);
      this.#waiting?.(this.#lost);
    });
  }

  /** A buffer of at least `bytes`. For small ones, which only fail on a lost device. */
  create(use: BufferUse, bytes: number, usage: GPUBufferUsageFlags = STORAGE): GPUBuffer {
    return this.#counted(use, { size: Math.ceil(bytes / 16) * 16, usage });
  }

  /**
   * Allocates several large buffers, or none.
   *
   * @throws WaggleError `OUT_OF_MEMORY` (retryable).
   */
  async allocate(use: BufferUse, sizes: readonly number[]): Promise<GPUBuffer[]> {
    this.check();
    const { maxBufferSize, maxStorageBufferBindingSize } = this.device.limits;
    // onnxruntime binds large weights in parts.
    const bound = use === "weights" ? maxBufferSize : maxStorageBufferBindingSize;
    const largest = Math.min(maxBufferSize, bound);
    const tooLarge = sizes.find((size) => size > largest);
    if (tooLarge !== undefined) {
      throw outOfMemory(`${tooLarge} bytes exceed the limit of ${largest}`);
    }
    this.device.pushErrorScope("out-of-memory");
    const buffers = sizes.map((size) => this.create(use, size));
    const error = await this.untilLost(this.device.popErrorScope());
    if (error === null) return buffers;
    for (const buffer of buffers) buffer.destroy();
    throw outOfMemory(`${sizes.reduce((sum, size) => sum + size, 0)} bytes refused`);
  }

  /** @throws WaggleError `DEVICE_LOST` if it is lost or refused a command. */
  check(): void {
    if (this.#lost !== null) throw this.#lost;
  }

  /**
   * Resolves like `answer`, or rejects with `DEVICE_LOST` if the loss prevents it. One call at a
   * time.
   */
  async untilLost<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => undefined); // handled below, or no longer relevant
    this.check();
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#waiting = reject;
        answer.then(resolve, reject);
      });
    } catch (error) {
      // A dying device may reject results before it reports its loss.
      const moment = new Promise((resolve) => setTimeout(resolve, NEWS_MS));
      await Promise.race([this.device.lost, moment]);
      this.check();
      throw error;
    } finally {
      this.#waiting = null;
    }
  }

  /** Bytes in use. */
  bytes(): BackendMemory {
    const sums = { weights: 0, adapters: 0, caches: 0, scratch: 0 };
    for (const { use, bytes } of this.#live.values()) sums[use] += bytes;
    return sums;
  }

  /** Number of buffers in use. */
  get count(): number {
    return this.#live.size;
  }

  #counted(use: BufferUse, descriptor: GPUBufferDescriptor): GPUBuffer {
    const buffer = this.#create(descriptor);
    this.#live.set(buffer, { use, bytes: descriptor.size });
    const destroy = buffer.destroy.bind(buffer);
    buffer.destroy = () => {
      this.#live.delete(buffer);
      return destroy();
    };
    return buffer;
  }
}

function refusal(error: GPUError): WaggleError {
  const message = error.message.slice(0, 300);
  if (error.constructor.name === "GPUOutOfMemoryError") return outOfMemory(`got ${message}`);
  return new WaggleError(
    "DEVICE_LOST",
    `the GPU device refused a command (${message}); open the policy again`,
    { retryable: true },
  );
}

function outOfMemory(what: string): WaggleError {
  return new WaggleError(
    "OUT_OF_MEMORY",
    `no room for a GPU buffer: ${what}; use a shorter contextLength or dispose contexts`,
    { retryable: true },
  );
}
