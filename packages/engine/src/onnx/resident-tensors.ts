/**
 * Arrays that stay on the device. What is kept crosses to it when a graph is first fed with it, and
 * again only after it changed; everything else is fed from the processor's memory at every run. Only
 * for devices whose memory onnxruntime's binding can hold: in 1.30 of onnxruntime-node WebGPU's.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { AnyTensor } from "../onnx-tensor.ts";

/** Element types that are kept, by what a graph calls them. */
type KeptType = "f32" | "f16" | "u8";

export type ResidentOptions = {
  /** A session of which that output stays on the device. */
  readonly open: (bytes: Uint8Array, held?: string) => Promise<InferenceSession>;
  readonly wrap: (tensor: AnyTensor) => Tensor;
};

export class ResidentTensors {
  readonly #options: ResidentOptions;
  /** Null before the first use and after a change. */
  readonly #kept = new Map<AnyTensor, Promise<Tensor> | null>();
  /** By element type, rank and way. */
  readonly #copies = new Map<string, Promise<InferenceSession>>();

  constructor(options: ResidentOptions) {
    this.#options = options;
  }

  /** Says that the numbers of these tensor objects change only with `changed`. */
  keep(tensors: Iterable<AnyTensor>): void {
    for (const tensor of tensors) if (!this.#kept.has(tensor)) this.#kept.set(tensor, null);
  }

  isKept(tensor: AnyTensor): boolean {
    return this.#kept.has(tensor);
  }

  /** @returns a kept tensor as sessions of this device take it. */
  async get(tensor: AnyTensor): Promise<Tensor> {
    let copy = this.#kept.get(tensor) ?? null;
    if (copy === null) {
      copy = this.#upload(tensor);
      this.#kept.set(tensor, copy);
    }
    return copy;
  }

  /** Frees what the device holds of them, so that the next run is fed anew. */
  async changed(tensors: Iterable<AnyTensor>): Promise<void> {
    for (const tensor of tensors) {
      const copy = this.#kept.get(tensor) ?? null;
      if (copy === null) continue;
      this.#kept.set(tensor, null);
      (await copy).dispose();
    }
  }

  /** As `changed`, and they are fed as others are from now on. */
  async drop(tensors: Iterable<AnyTensor>): Promise<void> {
    const dropped = [...tensors];
    await this.changed(dropped);
    for (const tensor of dropped) this.#kept.delete(tensor);
  }

  /** Copies a float32 tensor of the device: the binding's own way to do so ends the process. */
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
