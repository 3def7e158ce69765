/** One ONNX graph loaded on a device, with plain tensors as inputs and outputs. */
import type { InferenceSession, Tensor as OrtTensor } from "onnxruntime-node";
import { heldArray } from "../decoder/held-tensor.ts";
import type { DeviceTensor, HeldTensor } from "../decoder/held-tensor.ts";
import type { OnnxDevice } from "./onnx-device.ts";
import type { AnyTensor } from "../onnx-tensor.ts";

export type GraphFeed = AnyTensor | DeviceTensor;

function arraysOf(outputs: InferenceSession.ReturnType): ReadonlyMap<string, Float32Array> {
  return new Map(Object.entries(outputs).map(([name, { data }]) => [name, data as Float32Array]));
}

export class OnnxGraph {
  readonly #device: OnnxDevice;
  readonly #session: InferenceSession;
  /** onnxruntime does not cache a tensor's data, so one wrapper serves as long as its array. */
  readonly #wrapped = new WeakMap<object, OrtTensor>();

  private constructor(device: OnnxDevice, session: InferenceSession) {
    this.#device = device;
    this.#session = session;
  }

  /** @param held the output that `runHolding` keeps on the device. */
  static async create(bytes: Uint8Array, device: OnnxDevice, held?: string): Promise<OnnxGraph> {
    return new OnnxGraph(device, await device.createSession(bytes, held));
  }

  /** Runs a graph without a held output. The caller owns the returned arrays. */
  async run(feeds: ReadonlyMap<string, GraphFeed>): Promise<ReadonlyMap<string, Float32Array>> {
    return arraysOf(await this.#run(feeds));
  }

  /**
   * Runs the graph and keeps the held float32 output on the device if possible. The caller owns it.
   */
  async runHolding(
    feeds: ReadonlyMap<string, GraphFeed>,
    name: string,
  ): Promise<{
    readonly held: HeldTensor;
    readonly outputs: ReadonlyMap<string, Float32Array>;
  }> {
    const { [name]: output, ...others } = await this.#run(feeds);
    const outputs = arraysOf(others);
    const tensor = output as OrtTensor;
    const { resident } = this.#device;
    if (resident === null || tensor.location !== "gpu-buffer") {
      const feed = { shape: tensor.dims, data: tensor.data as Float32Array };
      return { held: heldArray(feed), outputs };
    }
    const held = {
      feed: { shape: tensor.dims, onDevice: tensor },
      read: () => resident.read(tensor),
      free: () => tensor.dispose(),
    };
    return { held, outputs };
  }

  async #run(feeds: ReadonlyMap<string, GraphFeed>): Promise<InferenceSession.ReturnType> {
    const inputs: Record<string, OrtTensor> = {};
    const { resident } = this.#device;
    for (const [name, tensor] of feeds) {
      if ("onDevice" in tensor) {
        inputs[name] = tensor.onDevice;
        continue;
      }
      const isKept = resident?.isKept(tensor) === true;
      inputs[name] = isKept ? await resident.get(tensor) : this.#wrap(tensor);
    }
    return this.#session.run(inputs);
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
