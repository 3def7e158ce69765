/**
 * Tensors over JavaScript memory, which the native onnxruntime reads and writes in place, so that
 * attention extends keys and values in place. onnxruntime-node 1.30 still copies every requested
 * output to a new array, and an output must be requested to be written.
 */
import { WaggleError } from "@waggle/protocol";
import * as ort from "onnxruntime-node";
import type {
  BoundRun,
  CpuBuffer,
  CpuDevice,
  CpuProgram,
  ElementType,
  Operand,
} from "../backend/cpu/cpu-device.ts";
import { outOfMemory } from "../backend/cpu/out-of-memory.ts";

export function createNodeDevice(sessionOptions: ort.InferenceSession.SessionOptions): CpuDevice {
  return {
    kernels: "onnxruntime-node/1.30.0 cpu gqa in-place",
    copiesOutputs: true,
    allocate: (sizeBytes) => new NodeBuffer(sizeBytes),
    load: async ({ model, externalData }) => {
      try {
        const session = await ort.InferenceSession.create(model, {
          ...sessionOptions,
          ...(externalData.length > 0 && { externalData }),
        });
        const bytes = externalData.reduce((sum, file) => sum + file.data.byteLength, 0);
        return new NodeProgram(session, model.byteLength + bytes);
      } catch (error) {
        throw asWaggleError("open a session", error);
      }
    },
    dispose: () => undefined,
  };
}

class NodeBuffer implements CpuBuffer {
  readonly sizeBytes: number;
  #memory: ArrayBuffer;

  constructor(sizeBytes: number) {
    this.sizeBytes = sizeBytes;
    try {
      this.#memory = new ArrayBuffer(sizeBytes);
    } catch (error) {
      throw outOfMemory("allocate", `${sizeBytes} bytes: ${String(error)}`);
    }
  }

  get memory(): ArrayBuffer {
    return this.#memory;
  }

  floats(offset: number, count: number): Float32Array {
    return new Float32Array(this.#memory, offset, count);
  }

  ints(offset: number, count: number): Int32Array {
    return new Int32Array(this.#memory, offset, count);
  }

  copyFrom(source: CpuBuffer, sourceOffset: number, offset: number, bytes: number): void {
    const from = new Uint8Array((source as NodeBuffer).memory, sourceOffset, bytes);
    new Uint8Array(this.#memory).set(from, offset);
  }

  fill(value: 0, offset: number, bytes: number): void {
    new Uint8Array(this.#memory, offset, bytes).fill(value);
  }

  free(): void {
    this.#memory = new ArrayBuffer(0);
  }
}

class NodeProgram implements CpuProgram {
  readonly sizeBytes: number;
  readonly #session: ort.InferenceSession;

  constructor(session: ort.InferenceSession, sizeBytes: number) {
    this.#session = session;
    this.sizeBytes = sizeBytes;
  }

  bind(inputs: readonly Operand[], outputs: readonly Operand[]): BoundRun {
    const session = this.#session;
    const feeds = tensorsOf(inputs);
    const fetches = tensorsOf(outputs);
    return {
      execute: async () => {
        try {
          await session.run(feeds, fetches);
        } catch (error) {
          throw asWaggleError("run", error);
        }
      },
      release: () => undefined,
    };
  }

  release(): Promise<void> {
    return this.#session.release();
  }
}

function tensorsOf(operands: readonly Operand[]): { [name: string]: ort.Tensor } {
  return Object.fromEntries(operands.map((operand) => [operand.name, tensorOf(operand)]));
}

const ARRAYS: {
  readonly [type in ElementType]: (
    memory: ArrayBuffer,
    offset: number,
    count: number,
    shape: readonly number[],
  ) => ort.Tensor;
} = {
  f32: (memory, offset, count, shape) =>
    new ort.Tensor("float32", new Float32Array(memory, offset, count), shape),
  i32: (memory, offset, count, shape) =>
    new ort.Tensor("int32", new Int32Array(memory, offset, count), shape),
  f16: (memory, offset, count, shape) =>
    new ort.Tensor("float16", new Uint16Array(memory, offset, count), shape),
};

function tensorOf({ buffer, offset, type, shape }: Operand): ort.Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return ARRAYS[type]((buffer as NodeBuffer).memory, offset, count, shape);
}

function asWaggleError(what: string, error: unknown): WaggleError {
  const message = error instanceof Error ? error.message : String(error);
  if (/bad_alloc|allocat|memory/i.test(message)) return outOfMemory(what, message);
  return new WaggleError(
    what === "run" ? "INTERNAL" : "MODEL_UNSUPPORTED",
    `onnxruntime cannot ${what}: "${message.slice(0, 300)}"; use another backend or model`,
    { cause: error },
  );
}
