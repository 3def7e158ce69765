/**
 * Arithmetic on named tensors, used by all merges. Computes in double precision and stores in single precision, in
 * plain memory.
 */
import type { Tensor, TensorMap } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";

/**
 * Combines maps entry by entry with the function `entry`.
 *
 * @throws WaggleError `SHAPE_MISMATCH` naming the tensor that differs, `INVALID_ARGUMENT` for an empty list.
 */
export function combined(
  maps: readonly TensorMap[],
  entry: (values: Float64Array, name: string, index: number) => number,
): TensorMap {
  const first = requireAlike(maps);
  const values = new Float64Array(maps.length);
  return new Map(
    Array.from(first, ([name, { shape, data }]) => {
      const tensors = maps.map((map) => map.get(name) as Tensor);
      const result = Float32Array.from(data, (_, i) => {
        for (const [k, tensor] of tensors.entries()) values[k] = tensor.data[i] as number;
        return entry(values, name, i);
      });
      return [name, { shape, data: result }];
    }),
  );
}

/** Applies `change` to the numbers of each tensor. */
export function mapped(
  map: TensorMap,
  change: (data: Float32Array, name: string) => Float32Array,
): TensorMap {
  return new Map(
    Array.from(map, ([name, { shape, data }]) => [name, { shape, data: change(data, name) }]),
  );
}

/**
 * Checks that all maps have tensors of the same names and shapes.
 *
 * @returns the first.
 */
export function requireAlike(maps: readonly TensorMap[]): TensorMap {
  const [first, ...others] = maps;
  if (first === undefined) {
    throw new WaggleError("INVALID_ARGUMENT", "there are no models to merge");
  }
  for (const other of others) {
    const names = [...first.keys(), ...other.keys()];
    const odd = names.find(
      (name) => first.get(name)?.shape.join() !== other.get(name)?.shape.join(),
    );
    if (odd !== undefined) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `tensor ${odd.slice(0, 96)} has shape [${first.get(odd)?.shape.join() ?? "none"}] in one model and [${other.get(odd)?.shape.join() ?? "none"}] in another; merge fine-tuned models of one base`,
      );
    }
  }
  return first;
}

/**
 * The magnitude that a share of a tensor's entries lies below: entries at least as large are kept where
 * the smallest `share` goes. −Infinity for a share of 0, Infinity for 1.
 */
export function magnitudeQuantile(data: ArrayLike<number>, share: number): number {
  const count = Math.round(share * data.length);
  if (count <= 0) return -Infinity;
  if (count >= data.length) return Infinity;
  const magnitudes = Float64Array.from(data, Math.abs).sort();
  return magnitudes[count] as number;
}
