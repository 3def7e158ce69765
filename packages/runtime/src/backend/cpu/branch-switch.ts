/**
 * Additional inputs of a graph that runs packed rows or branches: the flag that selects one, and
 * the other one's inputs, in the smallest sizes and never read.
 */
import { prefixNames } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { CpuBuffer, CpuDevice, ElementType, Operand } from "./cpu-device.ts";

export class BranchSwitch {
  /** Fed in packed runs. */
  readonly packed: readonly Operand[];
  /** Fed in runs of branches. */
  readonly branches: readonly Operand[];
  /** 0, 1, and as many zeros as the largest input needs. */
  readonly #buffer: CpuBuffer;

  constructor(device: CpuDevice, { layers, keyValueHeads, headSize }: DecoderConfig) {
    const most = 3 * keyValueHeads;
    const buffer = device.allocate(4 * (2 + most));
    buffer.ints(0, 2 + most).fill(0)[1] = 1;
    this.#buffer = buffer;
    const input = (
      name: string,
      type: ElementType,
      shape: readonly number[],
      offset = 8,
    ): Operand => ({ name, buffer, offset, type, shape });
    const prefixes = Array.from({ length: layers }, (_, layer) => {
      const { key, value } = prefixNames(layer);
      return [
        input(key, "f32", [1, keyValueHeads, headSize, 0]),
        input(value, "f32", [1, keyValueHeads, 0, headSize]),
      ];
    });
    this.packed = [
      input("is_branches", "i32", [1], 0),
      input("positions", "i32", [1, 1]),
      input("slots", "i32", [1, keyValueHeads, 1, 3]),
      input("own_bias", "f32", [1, 1, 1, 1]),
      ...prefixes.flat(),
    ];
    this.branches = [
      input("is_branches", "i32", [1], 4),
      input("seqlens_k", "i32", [1]),
      input("total_sequence_length", "i32", []),
    ];
  }

  free(): void {
    this.#buffer.free();
  }
}
