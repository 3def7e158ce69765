/**
 * Reads and writes safetensors with all tensors as float32 in memory: adapters and small models. For
 * larger ones, `tensor-source.ts` reads tensor by tensor.
 * Source: the format section of the safetensors project's README.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { elementCount } from "../shape.ts";
import { float32ToBfloat16, float32ToFloat16 } from "../weights/half-precision.ts";
import {
  elementBytes,
  missingInShard,
  parseSafetensorsHeader,
  parseShardIndex,
  safetensorsHeaderBytes,
  safetensorsHeaderLength,
} from "./safetensors-header.ts";
import { toFloat32 } from "./tensor-source.ts";

/** Tensors of a file, and its metadata. */
export type SafetensorsFile = {
  readonly tensors: TensorMap;
  readonly metadata: { readonly [key: string]: string };
};

/**
 * All tensors of a file, in the order of their data.
 * @throws WaggleError `MODEL_CORRUPT` if the bytes are not a complete safetensors file without gaps.
 */
export function readSafetensors(bytes: Uint8Array): SafetensorsFile {
  const start = 8 + safetensorsHeaderLength(bytes.subarray(0, 8), bytes.length);
  const { entries, metadata } = parseSafetensorsHeader(bytes.subarray(8, start), bytes.length);
  const tensors = new Map<string, Tensor>();
  for (const { name, dtype, shape, begin, end } of entries) {
    tensors.set(name, { shape, data: toFloat32(bytes.subarray(begin, end), dtype) });
  }
  return { tensors, metadata };
}

/** A safetensors file of these tensors, in order, with data aligned to 8 bytes. */
export function writeSafetensors(
  tensors: TensorMap,
  metadata: { readonly [key: string]: string } = {},
  dtype: "F32" | "F16" | "BF16" = "F32",
): Uint8Array {
  let dataBytes = 0;
  for (const [name, { shape, data }] of tensors) {
    if (data.length !== elementCount(shape)) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `tensor ${name} has ${data.length} elements, which do not fill its shape [${shape.join(", ")}]`,
      );
    }
    dataBytes += data.length * elementBytes(dtype);
  }
  const described = new Map(Array.from(tensors, ([name, { shape }]) => [name, { dtype, shape }]));
  const header = safetensorsHeaderBytes(described, metadata);
  const bytes = new Uint8Array(header.length + dataBytes);
  bytes.set(header);
  const view = new DataView(bytes.buffer);
  let offset = header.length;
  for (const { data } of tensors.values()) {
    if (dtype === "F32") {
      bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    } else {
      const convert = dtype === "F16" ? float32ToFloat16 : float32ToBfloat16;
      for (let i = 0; i < data.length; i++) {
        view.setUint16(offset + i * 2, convert(data[i] as number), true);
      }
    }
    offset += data.length * elementBytes(dtype);
  }
  return bytes;
}

/**
 * The tensors of a checkpoint in several files, read one after another.
 * @param index bytes of `model.safetensors.index.json`.
 * @param read returns the bytes of a file in the same folder.
 * @throws WaggleError `MODEL_CORRUPT` if the index lists a tensor that its file does not have.
 */
export async function readShardedSafetensors(
  index: Uint8Array,
  read: (path: string) => Promise<Uint8Array>,
): Promise<TensorMap> {
  const tensors = new Map<string, Tensor>();
  for (const [path, names] of parseShardIndex(index)) {
    const file = readSafetensors(await read(path));
    for (const name of names) {
      const tensor = file.tensors.get(name);
      if (tensor === undefined) throw missingInShard(name, path);
      tensors.set(name, tensor);
    }
  }
  return tensors;
}
