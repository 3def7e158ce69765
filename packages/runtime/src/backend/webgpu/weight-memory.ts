/** A model's weights on the device, one buffer each, shared by all graphs of a backend. */
import type { OnnxData, OnnxDataType, WeightStore } from "@waggle/model";
import type { GpuMemory } from "./gpu-memory.ts";
import type { GpuOperand } from "./webgpu-graph.ts";

export class WeightMemory implements WeightStore {
  /** As inputs of graphs. */
  readonly tensors: Map<string, GpuOperand> = new Map();
  readonly #memory: GpuMemory;

  constructor(memory: GpuMemory) {
    this.#memory = memory;
  }

  /** @throws WaggleError `OUT_OF_MEMORY`. */
  async add(
    name: string,
    type: OnnxDataType,
    shape: readonly number[],
    data: OnnxData,
  ): Promise<void> {
    const [value] = (await this.#memory.allocate("weights", [data.byteLength])) as [GPUBuffer];
    this.tensors.set(name, { name, type: type as GpuOperand["type"], shape, value });
    this.#memory.device.queue.writeBuffer(value, 0, inWords(data));
  }

  dispose(): void {
    for (const { value } of this.tensors.values()) (value as GPUBuffer).destroy();
  }
}

/** As whole 32-bit words, which writes require. */
function inWords(data: OnnxData): GPUAllowSharedBufferSource {
  const { byteLength, byteOffset, buffer } = data;
  if (byteLength % 4 === 0) return data as OnnxData & { readonly buffer: ArrayBuffer };
  const words = new Uint8Array(Math.ceil(byteLength / 4) * 4);
  words.set(new Uint8Array(buffer, byteOffset, byteLength));
  return words;
}
