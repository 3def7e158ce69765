/**
 * Reads and writes safetensors, all tensors as float32 in memory. Made for bytes from strangers:
 * every offset is checked before it is used. Not for integer tensors, which no decoder holds.
 * Source: the format section of the safetensors project's README.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { elementCount } from "./decoder-parameters.ts";
import {
  bfloat16ToFloat32,
  float16ToFloat32,
  float32ToBfloat16,
  float32ToFloat16,
} from "./half-precision.ts";

export type SafetensorsDataType = "F32" | "F16" | "BF16";

export type SafetensorsFile = {
  readonly tensors: TensorMap;
  readonly metadata: { readonly [key: string]: string };
};

const ELEMENT_BYTES: { readonly [dtype in SafetensorsDataType]: number } = {
  F32: 4,
  F16: 2,
  BF16: 2,
};
/** Of the reference implementation. */
const MAX_HEADER_BYTES = 100_000_000;
const MAX_RANK = 8;

type Entry = {
  readonly name: string;
  readonly dtype: SafetensorsDataType;
  readonly shape: readonly number[];
  readonly begin: number;
  readonly end: number;
};

/**
 * All tensors of a file, in the order of their data.
 * @throws WaggleError `MODEL_CORRUPT` when the bytes are not a whole, gapless safetensors file.
 */
export function readSafetensors(bytes: Uint8Array): SafetensorsFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 8) throw corrupt("begin with a header length of 8 bytes", bytes.length);
  const headerBytes = Number(view.getBigUint64(0, true));
  if (headerBytes > MAX_HEADER_BYTES || headerBytes > bytes.length - 8) {
    throw corrupt("have a header within the file", headerBytes);
  }
  const start = 8 + headerBytes;
  const header = parseHeader(bytes.subarray(8, start));
  const metadata: Record<string, string> = {};
  const entries: Entry[] = [];
  for (const [name, value] of Object.entries(header)) {
    if (name !== "__metadata__") {
      entries.push(parseEntry(name, value, bytes.length - start));
      continue;
    }
    if (!isObject(value)) throw corrupt("have an object as __metadata__", value);
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== "string") throw corrupt(`have text as metadata ${key}`, text);
      Object.defineProperty(metadata, key, { value: text, enumerable: true, configurable: true });
    }
  }
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let position = 0;
  const tensors = new Map<string, Tensor>();
  for (const entry of entries) {
    if (entry.begin !== position) {
      throw corrupt(`have ${quote(entry.name)} begin at ${position}`, entry.begin);
    }
    position = entry.end;
    tensors.set(entry.name, { shape: entry.shape, data: decode(bytes, start, entry) });
  }
  if (start + position !== bytes.length) {
    throw corrupt(`end with its last tensor at ${start + position}`, bytes.length);
  }
  return { tensors, metadata };
}

/** A safetensors file of these tensors in their order, with 8-byte aligned data. */
export function writeSafetensors(
  tensors: TensorMap,
  metadata: { readonly [key: string]: string } = {},
  dtype: SafetensorsDataType = "F32",
): Uint8Array {
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header["__metadata__"] = metadata;
  let position = 0;
  for (const [name, { shape, data }] of tensors) {
    if (data.length !== elementCount(shape)) {
      throw new WaggleError(
        "SHAPE_MISMATCH",
        `tensor ${name} must fill its shape [${shape.join(", ")}], got ${data.length} elements; pass matching data`,
      );
    }
    const end = position + data.length * ELEMENT_BYTES[dtype];
    header[name] = { dtype, shape, data_offsets: [position, end] };
    position = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + headerBytes + position);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(headerBytes), true);
  bytes.fill(0x20, 8, 8 + headerBytes);
  bytes.set(text, 8);
  let offset = 8 + headerBytes;
  for (const { data } of tensors.values()) {
    if (dtype === "F32") {
      bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    } else {
      const convert = dtype === "F16" ? float32ToFloat16 : float32ToBfloat16;
      for (let i = 0; i < data.length; i++) {
        view.setUint16(offset + i * 2, convert(data[i] as number), true);
      }
    }
    offset += data.length * ELEMENT_BYTES[dtype];
  }
  return bytes;
}

/**
 * The tensors of a checkpoint in several files, read one after another.
 * @param index bytes of `model.safetensors.index.json`.
 * @param read gives the bytes of a file of the same folder.
 * @throws WaggleError `MODEL_CORRUPT` where the index names a tensor that its file does not hold.
 */
export async function readShardedSafetensors(
  index: Uint8Array,
  read: (path: string) => Promise<Uint8Array>,
): Promise<TensorMap> {
  const namesByFile = parseIndex(index);
  const tensors = new Map<string, Tensor>();
  for (const [path, names] of namesByFile) {
    const file = readSafetensors(await read(path));
    for (const name of names) {
      const tensor = file.tensors.get(name);
      if (tensor === undefined) throw corrupt(`hold ${quote(name)} in ${path}`, "nothing");
      tensors.set(name, tensor);
    }
  }
  return tensors;
}

/** The files that an index names, each once. @throws WaggleError `MODEL_CORRUPT` for other paths. */
export function shardPaths(index: Uint8Array): string[] {
  return [...parseIndex(index).keys()];
}

/** Tensor names by file. */
function parseIndex(index: Uint8Array): Map<string, string[]> {
  const map = parseHeader(index)["weight_map"];
  if (!isObject(map)) throw corrupt("have an object as weight_map in its index", map);
  const namesByFile = new Map<string, string[]>();
  for (const [name, path] of Object.entries(map)) {
    // a plain name: an index must not reach outside its folder
    if (typeof path !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(path)) {
      throw corrupt("name plain files in its index", path);
    }
    namesByFile.set(path, [...(namesByFile.get(path) ?? []), name]);
  }
  return namesByFile;
}

function parseHeader(bytes: Uint8Array): { readonly [key: string]: unknown } {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `a safetensors header must be JSON, got ${bytes.length} bytes that are not; fetch the file again`,
      { cause },
    );
  }
  if (!isObject(header)) throw corrupt("have a JSON object as header", header);
  return header;
}

function parseEntry(name: string, value: unknown, dataBytes: number): Entry {
  if (!isObject(value)) throw corrupt(`describe ${quote(name)} by an object`, value);
  const { dtype, shape, data_offsets: offsets } = value;
  if (dtype !== "F32" && dtype !== "F16" && dtype !== "BF16") {
    throw corrupt(`hold F32, F16 or BF16 in ${quote(name)}`, dtype);
  }
  if (!Array.isArray(shape) || shape.length > MAX_RANK || !shape.every(isSize)) {
    throw corrupt(`have a shape of sizes for ${quote(name)}`, shape);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize)) {
    throw corrupt(`have two offsets for ${quote(name)}`, offsets);
  }
  const [begin, end] = offsets as [number, number];
  const byteLength = elementCount(shape) * ELEMENT_BYTES[dtype];
  if (end > dataBytes || end - begin !== byteLength) {
    throw corrupt(`hold ${byteLength} bytes of ${quote(name)} within the file`, offsets);
  }
  return { name, dtype, shape, begin, end };
}

function decode(bytes: Uint8Array, start: number, entry: Entry): Float32Array {
  const data = new Float32Array(elementCount(entry.shape));
  const source = bytes.subarray(start + entry.begin, start + entry.end);
  if (entry.dtype === "F32") {
    // a copy, also because the source may not be aligned to 4 bytes
    new Uint8Array(data.buffer).set(source);
    return data;
  }
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const convert = entry.dtype === "F16" ? float16ToFloat32 : bfloat16ToFloat32;
  for (let i = 0; i < data.length; i++) data[i] = convert(view.getUint16(i * 2, true));
  return data;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function corrupt(rule: string, value: unknown): WaggleError {
  const text = (JSON.stringify(value) ?? "nothing").slice(0, 100);
  return new WaggleError(
    "MODEL_CORRUPT",
    `a safetensors file must ${rule}, got ${text}; fetch the file again`,
  );
}
