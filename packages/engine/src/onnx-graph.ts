/** One loaded ONNX graph on a device, fed and read as plain tensors. */
import type { Tensor } from "@waggle/protocol";
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import type { OnnxDevice, OnnxTensorType } from "./onnx-device.ts";

/** Integer inputs of the graphs. */
export type IntegerTensor = {
  readonly shape: readonly number[];
  readonly data: Int32Array | BigInt64Array | Uint8Array;
};

/** float16 numbers, as their bits. */
export type HalfTensor = { readonly shape: readonly number[]; readonly data: Uint16Array };

type AnyTensor = Tensor | HalfTensor | IntegerTensor;

export class OnnxGraph {
  readonly #device: OnnxDevice;
  readonly #session: InferenceSession;
  /** onnxruntime keeps no data of a tensor object, so one serves as long as its array. */
  readonly #wrapped = new WeakMap<object, OrtTensor>();

  private constructor(device: OnnxDevice, session: InferenceSession) {
    this.#device = device;
    this.#session = session;
  }

  static async create(bytes: Uint8Array, device: OnnxDevice): Promise<OnnxGraph> {
    return new OnnxGraph(device, await device.createSession(bytes));
  }

  /** Runs the graph. The returned arrays belong to the caller. */
  async run(feeds: ReadonlyMap<string, AnyTensor>): Promise<ReadonlyMap<string, Float32Array>> {
    const inputs: Record<string, OrtTensor> = {};
    for (const [name, tensor] of feeds) inputs[name] = this.#wrap(tensor);
    const outputs = await this.#session.run(inputs);
    return new Map(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]));
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }

  #wrap(tensor: AnyTensor): OrtTensor {
    const known = this.#wrapped.get(tensor);
    if (known !== undefined) return known;
    const { data, shape } = tensor;
    const wrapped = this.#device.tensor(typeOf(data), data, shape);
    this.#wrapped.set(tensor, wrapped);
    return wrapped;
  }
}

function typeOf(data: AnyTensor["data"]): OnnxTensorType {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Uint16Array) return "float16";
  if (data instanceof Int32Array) return "int32";
  return data instanceof Uint8Array ? "uint8" : "int64";
}
