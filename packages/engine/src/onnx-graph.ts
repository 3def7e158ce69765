/** One loaded ONNX graph on onnxruntime-node's CPU provider, fed and read as plain tensors. */
import { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import type { Tensor } from "@waggle/protocol";

/** Integer inputs of the graphs. */
export type IntegerTensor = {
  readonly shape: readonly number[];
  readonly data: Int32Array | BigInt64Array | Uint8Array;
};

export class OnnxGraph {
  readonly #session: InferenceSession;
  /** onnxruntime reads the caller's array in place, so a tensor object serves as long as the array. */
  readonly #wrapped = new WeakMap<object, OrtTensor>();

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async create(bytes: Uint8Array, threads: number): Promise<OnnxGraph> {
    // The native library reports usage to its maker unless told not to; read at its first session.
    process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
    const session = await InferenceSession.create(bytes, {
      executionProviders: ["cpu"],
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: "sequential",
      // Same time, 40 % less memory where shapes change from run to run.
      enableMemPattern: false,
      // Waiting threads that spin take the cores from whatever shares them (pages, the edge
      // Worker, the other thread): 2 to 3 times slower on two busy cores.
      extra: { session: { intra_op: { allow_spinning: "0" } } },
      logSeverityLevel: 3,
    });
    return new OnnxGraph(session);
  }

  /** Runs the graph. The returned arrays belong to the caller. */
  async run(
    feeds: ReadonlyMap<string, Tensor | IntegerTensor>,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const inputs: Record<string, OrtTensor> = {};
    for (const [name, tensor] of feeds) inputs[name] = this.#wrap(tensor);
    const outputs = await this.#session.run(inputs);
    return new Map(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]));
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }

  #wrap(tensor: Tensor | IntegerTensor): OrtTensor {
    const known = this.#wrapped.get(tensor);
    if (known !== undefined) return known;
    const { data, shape } = tensor;
    const wrapped = new OrtTensor(typeOf(data), data, shape);
    this.#wrapped.set(tensor, wrapped);
    return wrapped;
  }
}

function typeOf(data: (Tensor | IntegerTensor)["data"]): "float32" | "int32" | "int64" | "uint8" {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Int32Array) return "int32";
  return data instanceof Uint8Array ? "uint8" : "int64";
}
