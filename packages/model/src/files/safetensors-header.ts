/**
 * The header of a safetensors file: names, types and places of its tensors. For untrusted bytes:
 * every offset is checked before it is used. Reads no tensor data.
 * Source: the format section of the safetensors project's README.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import { elementCount } from "../shape.ts";
import { shownValue } from "../shown-value.ts";

/** Little-endian number formats. `U8` and `I8` hold packed or quantized values. */
export type SafetensorsDataType = "F32" | "F16" | "BF16" | "U8" | "I8";

export type SafetensorsEntry = {
  readonly name: string;
  readonly dtype: SafetensorsDataType;
  readonly shape: readonly number[];
  /** First byte, counted from the start of the file. */
  readonly begin: number;
  /** One past the last byte. */
  readonly end: number;
};

export type SafetensorsHeader = {
  /** In the order of their data, which has no gaps. */
  readonly entries: readonly SafetensorsEntry[];
  readonly metadata: { readonly [key: string]: string };
};

const ELEMENT_BYTES: { readonly [dtype in SafetensorsDataType]: number } = {
  F32: 4,
  F16: 2,
  BF16: 2,
  U8: 1,
  I8: 1,
};
/** Limit of the reference implementation. */
const MAX_HEADER_BYTES = 100_000_000;
const MAX_RANK = 8;

/** Bytes of one number. */
export function elementBytes(dtype: SafetensorsDataType): number {
  return ELEMENT_BYTES[dtype];
}

/**
 * Length of the JSON after the first 8 bytes.
 * @param start - the first 8 bytes of the file, or fewer if it is shorter.
 * @param fileBytes - size of the whole file.
 * @throws WaggleError `MODEL_CORRUPT` if the header would exceed the file.
 */
export function safetensorsHeaderLength(start: Uint8Array, fileBytes: number): number {
  if (start.length < 8) throw corrupt("begin with a header length of 8 bytes", start.length);
  const view = new DataView(start.buffer, start.byteOffset, 8);
  const length = Number(view.getBigUint64(0, true));
  if (length > MAX_HEADER_BYTES || length > fileBytes - 8) {
    throw corrupt("have a header within the file", length);
  }
  return length;
}

/**
 * @param json - the header's bytes after the first 8.
 * @param fileBytes - size of the whole file.
 * @throws WaggleError `MODEL_CORRUPT` if it does not describe a complete file without gaps.
 */
export function parseSafetensorsHeader(json: Uint8Array, fileBytes: number): SafetensorsHeader {
  const start = 8 + json.length;
  const metadata: Record<string, string> = {};
  const entries: SafetensorsEntry[] = [];
  for (const [name, value] of Object.entries(parseJsonObject(json))) {
    if (name !== "__metadata__") {
      entries.push(parseEntry(name, value, start, fileBytes));
      continue;
    }
    if (!isObject(value)) throw corrupt("have an object as __metadata__", value);
    for (const [key, text] of Object.entries(value)) {
      if (typeof text !== "string") throw corrupt(`have text as metadata ${key}`, text);
      Object.defineProperty(metadata, key, { value: text, enumerable: true, configurable: true });
    }
  }
  entries.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let position = start;
  for (const { name, begin, end } of entries) {
    if (begin !== position) {
      throw corrupt(`have ${quote(name)} begin at ${position - start}`, begin - start);
    }
    position = end;
  }
  if (position !== fileBytes) {
    throw corrupt(`end with its last tensor at ${position}`, fileBytes);
  }
  return { entries, metadata };
}

/**
 * The first bytes of a file with these tensors, in order: the header's length and the header,
 * padded so that data starts at a multiple of 8.
 */
export function safetensorsHeaderBytes(
  tensors: ReadonlyMap<string, Pick<SafetensorsEntry, "dtype" | "shape">>,
  metadata: { readonly [key: string]: string } = {},
): Uint8Array {
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header["__metadata__"] = metadata;
  let position = 0;
  for (const [name, { dtype, shape }] of tensors) {
    const end = position + elementCount(shape) * ELEMENT_BYTES[dtype];
    header[name] = { dtype, shape, data_offsets: [position, end] };
    position = end;
  }
  const text = new TextEncoder().encode(JSON.stringify(header));
  const length = Math.ceil(text.length / 8) * 8;
  const bytes = new Uint8Array(8 + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(text, 8);
  return bytes;
}

/**
 * Tensor names by file, from the bytes of `model.safetensors.index.json`.
 * @throws WaggleError `MODEL_CORRUPT` for paths that are not plain file names.
 */
export function parseShardIndex(index: Uint8Array): Map<string, string[]> {
  const map = parseJsonObject(index)["weight_map"];
  if (!isObject(map)) throw corrupt("have an object as weight_map in its index", map);
  const namesByFile = new Map<string, string[]>();
  for (const [name, path] of Object.entries(map)) {
    // only a plain name, so that an index cannot reach outside its folder
    if (typeof path !== "string" || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(path)) {
      throw corrupt("name plain files in its index", path);
    }
    namesByFile.set(path, [...(namesByFile.get(path) ?? []), name]);
  }
  return namesByFile;
}

/** The files named by an index, each once. @throws WaggleError `MODEL_CORRUPT` for other paths. */
export function shardPaths(index: Uint8Array): string[] {
  return [...parseShardIndex(index).keys()];
}

/** The error for a tensor that the index lists but its file does not have. */
export function missingInShard(name: string, path: string): WaggleError {
  return corrupt(`hold ${quote(name)} in ${path}`, "nothing");
}

function parseJsonObject(bytes: Uint8Array): { readonly [key: string]: unknown } {
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw corrupt("have JSON as its header", `${bytes.length} bytes`);
  }
  if (!isObject(header)) throw corrupt("have a JSON object as header", header);
  return header;
}

function parseEntry(
  name: string,
  value: unknown,
  start: number,
  fileBytes: number,
): SafetensorsEntry {
  if (!isObject(value)) throw corrupt(`describe ${quote(name)} by an object`, value);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(ELEMENT_BYTES, dtype)) {
    throw corrupt(`hold ${Object.keys(ELEMENT_BYTES).join(", ")} in ${quote(name)}`, dtype);
  }
  if (!Array.isArray(shape) || shape.length > MAX_RANK || !shape.every(isSize)) {
    throw corrupt(`have a valid shape for ${quote(name)}`, shape);
  }
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isSize)) {
    throw corrupt(`have two offsets for ${quote(name)}`, offsets);
  }
  const type = dtype as SafetensorsDataType;
  const [begin, end] = offsets as [number, number];
  const byteLength = elementCount(shape) * ELEMENT_BYTES[type];
  if (start + end > fileBytes || end - begin !== byteLength) {
    throw corrupt(`hold ${byteLength} bytes of ${quote(name)} within the file`, offsets);
  }
  return { name, dtype: type, shape, begin: start + begin, end: start + end };
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}

function corrupt(rule: string, value: unknown): WaggleError {
  return new WaggleError(
    "MODEL_CORRUPT",
    `a safetensors file must ${rule}, got ${shownValue(value)}; fetch the file again`,
  );
}
