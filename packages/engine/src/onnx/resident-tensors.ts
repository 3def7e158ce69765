/**
 * Arrays kept in device memory. A kept array is copied there when a graph is first fed with it, and
 * again only after it changed; all others are copied for every run. Only for devices whose memory
 * onnxruntime's binding can hold: in onnxruntime-node 1.30, WebGPU's.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { AnyTensor } from "../onnx-tensor.ts";

/** Element types that can be kept, by their names in graphs. */
type KeptType = "f32" | "f16" | "u8";

/** Options of `ResidentTensors`. */
export type ResidentOptions = {
  /** Opens a session whose output `held` stays on the device. */
  readonly open: (bytes: Uint8Array, held?: string) => Promise<InferenceSession>;
  readonly wrap: (tensor: AnyTensor) => Tensor;
};

export class ResidentTensors {
  readonly #options: ResidentOptions;
  /** Null before the first use and after a change. */
  readonly #kept = new Map<AnyTensor, Promise<Tensor> | null>();
  /** Copying sessions by element type, rank and direction. */
  readonly #copies = new Map<string, Promise<InferenceSession>>();

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  /** Keeps these tensor objects. Their numbers may then only change with a call of `changed`. */
  keep(tensors: Iterable<AnyTensor>): void {
    for (const tensor of tensors) if (!this.#kept.has(tensor)) this.#kept.set(tensor, null);
  }

  isKept(tensor: AnyTensor): boolean {
    return this.#kept.has(tensor);
  }

  /** @returns a kept tensor as an input for sessions of this device. */
  async get(tensor: AnyTensor): Promise<Tensor> {
    let copy = this.#kept.get(tensor) ?? null;
    if (copy === null) {
      copy = this.#upload(tensor);
      this.#kept.set(tensor, copy);
    }
    return copy;
  }

  /** Frees the device's copies, so that the next run copies the new numbers. */
  async changed(tensors: Iterable<AnyTensor>): Promise<void> {
    for (const tensor of tensors) {
      const copy = this.#kept.get(tensor) ?? null;
      if (copy === null) continue;
      this.#kept.set(tensor, null);
      (await copy).dispose();
    }
  }

  /** Frees the device's copies and stops keeping these tensors. */
  async drop(tensors: Iterable<AnyTensor>): Promise<void> {
    const dropped = [...tensors];
    await this.changed(dropped);
    for (const tensor of dropped) this.#kept.delete(tensor);
  }

  /**
   * Copies a float32 tensor from the device. The binding's own way of doing so crashes the process.
   */
  async read(tensor: Tensor): Promise<Float32Array> {
    const session = await this.#copy("f32", tensor.dims.length, "back");
    const { y } = await session.run({ x: tensor });
    return (y as Tensor).data as Float32Array;
  }

  async dispose(): Promise<void> {
    await this.drop(this.#kept.keys());
    for (const session of this.#copies.values()) await (await session).release();
    this.#copies.clear();
  }

  async #upload(tensor: AnyTensor): Promise<Tensor> {
    const session = await this.#copy(typeOf(tensor), tensor.shape.length, "there");
    const { y } = await session.run({ x: this.#options.wrap(tensor) });
    return y as Tensor;
  }

  #copy(type: KeptType, rank: number, way: "there" | "back"): Promise<InferenceSession> {
    const key = `${type} ${rank} ${way}`;
    let session = this.#copies.get(key);
    if (session === undefined) {
      session = this.#options.open(copyGraph(type, rank), way === "there" ? "y" : undefined);
      this.#copies.set(key, session);
    }
    return session;
  }
}

function copyGraph(type: KeptType, rank: number): Uint8Array {
  const builder = new OnnxGraphBuilder();
  const shape = Array.from({ length: rank }, (_, dimension) => `N${dimension}`);
  builder.input("x", type, shape);
  builder.node("Identity", ["x"], { outputs: ["y"] });
  builder.output("y", type, shape);
  return builder.build();
}

function typeOf({ data }: AnyTensor): KeptType {
  if (data instanceof Float32Array) return "f32";
  return data instanceof Uint8Array ? "u8" : "f16";
}
