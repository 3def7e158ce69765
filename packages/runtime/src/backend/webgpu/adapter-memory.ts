/** An adapter's A and B on the device, in one buffer. Without an adapter all inputs share zeros. */
import { adapterGraphInputs, float32ToFloat16 } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { Placement } from "./command-tap.ts";
import type { GpuMemory } from "./gpu-memory.ts";
import { aligned } from "./step-inputs.ts";

export class AdapterMemory {
  /** Place of each graph input. */
  readonly placements: { readonly [input: string]: Placement };
  readonly #buffer: GPUBuffer | null;

  private constructor(buffer: GPUBuffer | null, placements: { [input: string]: Placement }) {
    this.#buffer = buffer;
    this.placements = placements;
  }

  /**
   * @param rank - rank of the graph; 0 if it has no adapter inputs.
   * @throws WaggleError `ADAPTER_INCOMPATIBLE`, `OUT_OF_MEMORY`.
   */
  static async create(
    memory: GpuMemory,
    config: DecoderConfig,
    adapter: Adapter | null,
    rank: number,
    dtype: "f32" | "f16",
  ): Promise<AdapterMemory> {
    if (rank === 0) return new AdapterMemory(null, {});
    const tensors: TensorMap = adapterGraphInputs(config, adapter, rank);
    const elementBytes = dtype === "f16" ? 2 : 4;
    const offsets = new Map<string, number>();
    let bytes = 0;
    for (const [name, { data }] of tensors) {
      const size = aligned(data.length * elementBytes);
      offsets.set(name, adapter === null ? 0 : bytes);
      bytes = adapter === null ? Math.max(bytes, size) : bytes + size;
    }
    const [buffer] = await memory.allocate("adapters", [bytes]);
    const placements: { [input: string]: Placement } = {};
    for (const [name, { data }] of tensors) {
      const offset = offsets.get(name) as number;
      placements[name] = { buffer: buffer as GPUBuffer, offset };
      if (adapter === null) continue;
      const values = dtype === "f16" ? Uint16Array.from(padded(data), float32ToFloat16) : data;
      memory.device.queue.writeBuffer(
        buffer as GPUBuffer,
        offset,
        values as Float32Array<ArrayBuffer>,
      );
    }
    return new AdapterMemory(buffer as GPUBuffer, placements);
  }

  dispose(): void {
    this.#buffer?.destroy();
  }
}

/** Pads to whole 32-bit words, as writes require. */
function padded(data: Float32Array): Float32Array {
  if (data.length % 2 === 0) return data;
  const even = new Float32Array(data.length + 1);
  even.set(data);
  return even;
}
