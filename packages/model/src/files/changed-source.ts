/**
 * A tensor source in which some tensors are replaced, row by row as they are read, so that none is in
 * memory as a whole.
 */
import type { Tensor } from "@waggle/protocol";
import type { RowRange, TensorDescription, TensorSource } from "./tensor-source.ts";

/**
 * @param changed shapes of the replaced float32 tensors, by name.
 * @param read reads one of these; its errors pass through.
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
