/** One loaded ONNX graph on a device, fed and read as plain tensors. */
import type { Tensor } from "@waggle/protocol";
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import type { OnnxDevice } from "./onnx-device.ts";

/** Integer inputs of the graphs. */
export type IntegerTensor = {
  readonly shape: readonly number[];
  readonly data: Int32Array | BigInt64Array | Uint8Array;
};

/** float16 numbers, as their bits. */
type HalfTensor = { readonly shape: readonly number[]; readonly data: Uint16Array };

/** What graphs are fed. */
export type AnyTensor = Tensor | HalfTensor | IntegerTensor;

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
    const { resident } = this.#device;
    for (const [name, tensor] of feeds) {
      const isKept = resident?.isKept(tensor) === true;
      inputs[name] = isKept ? await resident.get(tensor) : this.#wrap(tensor);
    }
    const outputs = await this.#session.run(inputs);
    return new Map(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]));
  }

  async dispose(): Promise<void> {
    await this.#session.release();
  }

  #wrap(tensor: AnyTensor): OrtTensor {
    const known = this.#wrapped.get(tensor);
    if (known !== undefined) return known;
    const wrapped = this.#device.tensor(tensor);
    this.#wrapped.set(tensor, wrapped);
    return wrapped;
  }
}
