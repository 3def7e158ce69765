/**
 * Reads the weights of a decoder from a checkpoint, a slice of rows at a time, and checks them.
 * Knows the names under which checkpoints store a decoder that is part of a larger model.
 */
import { WaggleError } from "@waggle/protocol";
import type { ParameterShape } from "../parameter-shape.ts";
import { elementCount, sameShape } from "../shape.ts";
import type { RowRange, TensorSource } from "../files/tensor-source.ts";

/** Numbers of one slice: 16 MB in float32. */
const SLICE_ELEMENTS = 4 * 1024 * 1024;

/** Rows `[end - begin, ...]` of a parameter as float32. */
export type RowSlice = {
  readonly begin: number;
  readonly end: number;
  readonly data: Float32Array;
};

/**
 * The rows of a parameter in order, in slices; at most one slice is in memory.
 * @throws WaggleError `MODEL_CORRUPT` if it is missing, has another shape or is not finite.
 */
export async function* readRows(
  weights: TensorSource,
  { name, shape }: ParameterShape,
): AsyncGenerator<RowSlice> {
  const [rows = 1, ...rest] = shape;
  const step = Math.max(1, Math.floor(SLICE_ELEMENTS / elementCount(rest)));
  for (let begin = 0; begin < rows; begin += step) {
    const end = Math.min(rows, begin + step);
    yield { begin, end, data: await readRange(weights, { name, shape }, { begin, end }) };
  }
}

/**
 * Rows of a parameter as float32.
 * @throws WaggleError `MODEL_CORRUPT` if it is missing, has another shape or is not finite.
 */
export async function readRange(
  weights: TensorSource,
  { name, shape }: ParameterShape,
  range: RowRange,
): Promise<Float32Array> {
  const stored = findStored(weights.tensors, name);
  checkShape(name, shape, weights.tensors.get(stored));
  const { data } = await weights.read(stored, range);
  checkFinite(name, data);
  return data;
}

/** Checkpoints of `gemma3` store the decoder's tensors besides those of their image encoder. */
const PREFIXES: readonly string[] = ["model.", "language_model.model.", "model.language_model."];

/** The stored name of a parameter; its own name if there is none. */
export function findStored(
  stored: { readonly has: (name: string) => boolean },
  name: string,
): string {
  const names = PREFIXES.map((prefix) => name.replace(/^model\./, prefix));
  return names.find((candidate) => stored.has(candidate)) ?? name;
}

/** @throws WaggleError `MODEL_CORRUPT` if there is no tensor or it has another shape. */
export function checkShape<T extends { readonly shape: readonly number[] }>(
  name: string,
  shape: readonly number[],
  tensor: T | undefined,
): asserts tensor is T {
  if (tensor !== undefined && sameShape(tensor.shape, shape)) return;
  throw new WaggleError(
    "MODEL_CORRUPT",
    `${name} must have shape [${shape.join(", ")}], got ${tensor ? `[${tensor.shape.join(", ")}]` : "nothing"}; use weights that belong to this config`,
  );
}

/** @throws WaggleError `MODEL_CORRUPT` if a number is NaN or infinite. */
export function checkFinite(name: string, data: Float32Array): void {
  // zero times a number is zero, except for NaN and infinity; one sum is faster than many calls
  let zero = 0;
  for (let i = 0; i < data.length; i++) zero += 0 * (data[i] as number);
  if (zero === 0) return;
  throw new WaggleError("MODEL_CORRUPT", `${name} has NaN or infinity; use intact weights`);
}
