/**
 * Converts a model folder to another number format ahead of time: still in Hugging Face's layout,
 * smaller to fetch, and with nothing to quantize in the page. Resumes a stopped run: complete
 * shards are kept, and config.json, without which no folder loads, is written last. A model of a
 * server that is complete is not fetched again.
 */
import { createHash } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  CALIBRATION_FILE,
  convertWeights,
  elementBytes,
  parseDecoderConfig,
  parseStoredFormat,
  quantizationConfigJson,
  safetensorsHeaderBytes,
} from "@waggle/model";
import type { ConvertedParameter, DecoderConfig, StoredFormat, TensorSource } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { createFallbackStorage } from "../store/chunk-storage.ts";
import { loadModel } from "../store/load-model.ts";
import { openModel } from "../store/loaded-model.ts";
import type { ModelReader } from "../store/loaded-model.ts";
import { modelSourceName, parseModelSource } from "../store/model-source.ts";
import type { ModelSource } from "../store/model-source.ts";
import { finishedConversion, forgetConversion, recordConversion } from "./conversion-record.ts";
import { openFileBytes } from "./file-bytes.ts";
import { createFolderStorage } from "./folder-storage.ts";
import { openModelFolder } from "./model-folder.ts";

/** Options of `convertModel`. */
export type ConvertModelOptions = {
  /** A folder, or a source for `loadModel`. */
  readonly source: string | ModelSource;
  readonly format: StoredFormat;
  /** Replaces the source's weights by others for the same config, computed as they are written. */
  readonly change?: {
    /** Identifies these weights, like the hash of the source. */
    readonly identity: string;
    readonly weightsOf: (weights: TensorSource, config: DecoderConfig) => TensorSource;
  };
  /** The folder to write; created if necessary. */
  readonly out: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ConvertProgress) => void;
  /** Maximum bytes of one weights file. Default 1 GiB. */
  readonly shardBytes?: number;
};

/** Progress of `convertModel`, in bytes of the current step. */
export type ConvertProgress = {
  /** `read`: a folder is read once, to identify it. */
  readonly step: "download" | "read" | "convert";
  readonly doneBytes: number;
  readonly totalBytes: number | null;
};

/** The result of `convertModel`. */
export type ConvertedModel = {
  readonly out: string;
  readonly format: StoredFormat;
  /** Size of the weights. */
  readonly sizeBytes: number;
  readonly shards: number;
  /** Number of shards that an earlier run had finished. */
  readonly keptShards: number;
};

const SHARD_BYTES = 1024 ** 3;
const WEIGHTS = "model.safetensors";
/** Files of an earlier conversion that do not fit other weights. */
const FROM_EARLIER = /^(calibration\.json|model[\w.-]*\.safetensors(\.index\.json|\.partial)?)$/;

type Source = {
  readonly reader: Pick<ModelReader, "bytes" | "weights">;
  readonly paths: readonly string[];
  /** Content hash. Shards of other content are not kept, and equal sources give equal files. */
  readonly identity: string;
};

/**
 * @throws WaggleError `MODEL_UNSUPPORTED` for weights that are already quantized or do not fit the
 *   format, `MODEL_CORRUPT`, and as `loadModel` does. Rejects with the signal's reason.
 */
export async function convertModel(options: ConvertModelOptions): Promise<ConvertedModel> {
  const { format, out, signal, change, shardBytes = SHARD_BYTES } = options;
  const source = await placeOf(options);
  const conversion =
    typeof source === "string"
      ? null
      : {
          source: modelSourceName(source),
          format,
          shardBytes,
          change: change?.identity ?? null,
        };
  const finished = conversion && (await finishedConversion(out, conversion));
  if (finished !== null) return { out, format, ...finished, keptShards: finished.shards };
  await mkdir(out, { recursive: true });
  await forgetConversion(out);
  const downloads = join(out, ".download");
  const { reader, paths, identity } = await openSource(source, options, downloads);
  const config = await readConfig(reader);
  const decoder = parseConvertible(config);
  const stored = await reader.weights();
  const weights = change === undefined ? stored : change.weightsOf(stored, decoder);
  const parameters = convertWeights(decoder, weights, format);
  const plan = createHash("sha256")
    .update(
      `${identity} ${format} ${shardBytes}${change === undefined ? "" : ` ${change.identity}`}`,
    )
    .digest("hex");
  const shards = cutIntoShards(parameters, shardBytes);
  const totalBytes = parameters.reduce((sum, parameter) => sum + sizeOf(parameter), 0);
  let doneBytes = 0;
  let keptShards = 0;
  let sizeBytes = 0;
  const weightMap: Record<string, string> = {};
  for (const [index, shard] of shards.entries()) {
    const name = shards.length === 1 ? WEIGHTS : shardName(index, shards.length);
    const tensors = new Map(shard.flatMap((parameter) => [...parameter.tensors]));
    for (const tensor of tensors.keys()) weightMap[tensor] = name;
    const header = safetensorsHeaderBytes(tensors, { format: "pt", source: plan });
    const data = shard.reduce((sum, parameter) => sum + sizeOf(parameter), 0);
    sizeBytes += header.length + data;
    if (await isWritten(join(out, name), header, data)) {
      keptShards++;
      doneBytes += data;
      options.onProgress?.({ step: "convert", doneBytes, totalBytes });
      continue;
    }
    // From an earlier conversion; it does not describe the new weights.
    await rm(join(out, "config.json"), { force: true });
    await writeShard(join(out, name), header, shard, signal, (bytes) => {
      doneBytes += bytes;
      options.onProgress?.({ step: "convert", doneBytes, totalBytes });
    });
  }
  const written = new Set(Object.values(weightMap));
  for (const name of await readdir(out)) {
    if (FROM_EARLIER.test(name) && !written.has(name)) {
      await rm(join(out, name)); // from an earlier conversion
    }
  }
  if (shards.length > 1) {
    const index = { metadata: { total_size: totalBytes }, weight_map: weightMap };
    await writeFile(join(out, `${WEIGHTS}.index.json`), JSON.stringify(index, null, 2));
  }
  for (const path of paths) {
    if (path === "config.json" || path.includes("safetensors")) continue;
    if (path === CALIBRATION_FILE && change !== undefined) continue;
    await writeFile(join(out, path), await reader.bytes(path));
  }
  const described = { ...config, ...formatMembers(format, config) };
  await writeFile(join(out, "config.json"), `${JSON.stringify(described, null, 2)}\n`);
  await rm(downloads, { recursive: true, force: true });
  const result = { sizeBytes, shards: shards.length };
  if (conversion !== null) await recordConversion(out, conversion, result);
  return { out, format, ...result, keptShards };
}

/** A folder, or a source on a server. @throws WaggleError `INVALID_ARGUMENT` if the folder is also the output. */
async function placeOf({ source, out }: ConvertModelOptions): Promise<string | ModelSource> {
  if (typeof source !== "string") return source;
  if ((await stat(source).catch(() => null))?.isDirectory() !== true) {
    return parseModelSource(source);
  }
  if (resolve(source) !== resolve(out)) return source;
  throw new WaggleError(
    "INVALID_ARGUMENT",
    `${out} is the folder of the original model, which would be overwritten; choose another output folder`,
  );
}

async function openSource(
  source: string | ModelSource,
  options: ConvertModelOptions,
  downloads: string,
): Promise<Source> {
  const { signal } = options;
  if (typeof source === "string") {
    const folder = await openModelFolder(source);
    return {
      reader: folder,
      paths: folder.paths,
      identity: (
        await folder.reference(signal, (doneBytes, totalBytes) =>
          options.onProgress?.({ step: "read", doneBytes, totalBytes }),
        )
      ).sha256,
    };
  }
  const storage = createFallbackStorage(createFolderStorage(downloads));
  const model = await loadModel(source, {
    storage,
    ...(signal !== undefined && { signal }),
    onProgress: ({ loadedBytes, totalBytes }) =>
      options.onProgress?.({ step: "download", doneBytes: loadedBytes, totalBytes }),
  });
  return {
    reader: await openModel(model, { storage }),
    paths: model.files.map(({ path }) => path),
    identity: model.baseModel,
  };
}

async function readConfig(reader: Source["reader"]): Promise<{ readonly [key: string]: unknown }> {
  const text = new TextDecoder().decode(await reader.bytes("config.json"));
  return JSON.parse(text) as { readonly [key: string]: unknown };
}

function parseConvertible(config: { readonly [key: string]: unknown }): DecoderConfig {
  const stored = parseStoredFormat(config);
  if (stored === null) return parseDecoderConfig(config);
  throw new WaggleError(
    "MODEL_UNSUPPORTED",
    `the weights are already quantized (${stored}); convert the original model`,
  );
}

const TORCH_NAMES = { f32: "float32", f16: "float16", bf16: "bfloat16" } as const;

/** Members of config.json that state the number format; Transformers 5 writes `dtype`. */
function formatMembers(
  format: StoredFormat,
  config: { readonly [key: string]: unknown },
): { readonly [key: string]: unknown } {
  if (format === "int8" || format === "int4") {
    return { quantization_config: quantizationConfigJson(format) };
  }
  const name = TORCH_NAMES[format];
  return "dtype" in config ? { dtype: name } : { torch_dtype: name };
}

/** Splits between parameters, so that the parts of a matrix stay together. */
function cutIntoShards(
  parameters: readonly ConvertedParameter[],
  shardBytes: number,
): ConvertedParameter[][] {
  const shards: ConvertedParameter[][] = [];
  let room = 0;
  for (const parameter of parameters) {
    const size = sizeOf(parameter);
    if (size > room) {
      shards.push([]);
      room = shardBytes;
    }
    shards.at(-1)?.push(parameter);
    room -= size;
  }
  return shards;
}

function sizeOf({ tensors }: ConvertedParameter): number {
  let sum = 0;
  for (const { dtype, shape } of tensors.values()) {
    sum += elementBytes(dtype) * shape.reduce((product, dim) => product * dim, 1);
  }
  return sum;
}

function shardName(index: number, count: number): string {
  const number = (value: number): string => String(value).padStart(5, "0");
  return `model-${number(index + 1)}-of-${number(count)}.safetensors`;
}

/** The header identifies the source, so a complete file with this header is already the right one. */
async function isWritten(path: string, header: Uint8Array, dataBytes: number): Promise<boolean> {
  const size = (await stat(path).catch(() => null))?.size;
  if (size !== header.length + dataBytes) return false;
  const file = await openFileBytes(path);
  return Buffer.from(await file.read(0, header.length)).equals(header);
}

async function writeShard(
  path: string,
  header: Uint8Array,
  parameters: readonly ConvertedParameter[],
  signal: AbortSignal | undefined,
  onWritten: (bytes: number) => void,
): Promise<void> {
  const partial = `${path}.partial`;
  const file = await open(partial, "w");
  try {
    await file.writeFile(header);
    for (const parameter of parameters) {
      for (const bytes of await parameter.convert()) {
        signal?.throwIfAborted();
        await file.writeFile(bytes);
        onWritten(bytes.length);
      }
    }
    await file.close();
    await rename(partial, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(partial, { force: true });
    throw error;
  }
}
