/**
 * Weights of which some are read as other numbers than are stored, row by row: none is in memory as a whole.
 * Not a file, and not what is done to them.
 */
import type { Tensor } from "@waggle/protocol";
import type { RowRange, TensorDescription, TensorSource } from "./tensor-source.ts";

/**
 * @param changed shapes of what is read otherwise, as float32, by the names that they are read under.
 * @param read one of these; reading throws what it throws.
 */
export function changedSource(
  weights: TensorSource,
  changed: ReadonlyMap<string, readonly number[]>,
  read: (name: string, rows: RowRange | undefined) => Promise<Tensor>,
): TensorSource {
  const tensors = new Map<string, TensorDescription>(weights.tensors);
  for (const [name, shape] of changed) tensors.set(name, { dtype: "F32", shape });
  return {
    tensors,
    read: (name, rows) => (changed.has(name) ? read(name, rows) : weights.read(name, rows)),
    readBytes: async (name, rows) => {
      if (!changed.has(name)) return weights.readBytes(name, rows);
      const { data } = await read(name, rows);
      return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    },
  };
}
