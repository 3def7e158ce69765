/** A Hugging Face model folder as the trainer uses it: parsed, with the hashes of its files. */
import {
  type ByteSource,
  type DecoderConfig,
  type ModelFile,
  parseDecoderConfig,
  parseStoredFormat,
  readDecoderWeights,
  residentSource,
  type TensorSource,
  type WeightFormat,
} from "@waggle/model";
import type { BaseModelReference, TensorMap } from "@waggle/protocol";
import { openModelFolder } from "@waggle/runtime/node";
import { type ChatFormat, readChatFormat } from "@waggle/text";

/** A base model; its weights may be in memory or on disk. */
export type BaseModel = {
  readonly reference: BaseModelReference;
  /** Config and tokenizer; weights are read with `openFile`. */
  readonly files: readonly ModelFile[];
  /** A file of the reference, read on demand. */
  readonly openFile: (path: string) => ByteSource;
  readonly config: DecoderConfig;
  /** The format in which the matrices of `weights` are quantized; `null` for plain numbers. */
  readonly storedFormat: WeightFormat | null;
  readonly weights: TensorMap | TensorSource;
  readonly format: ChatFormat;
};

/** A model with all weights in memory, in float32. */
export type LoadedModel = BaseModel & { readonly weights: TensorMap };

/** A model whose weights are read on demand. */
export type OpenedModel = BaseModel & { readonly weights: TensorSource };

/** @throws WaggleError `NOT_FOUND` without the folder, `MODEL_CORRUPT` or `MODEL_UNSUPPORTED`. */
export async function readBaseModel(path: string): Promise<LoadedModel> {
  return loaded(await openBaseModel(path));
}

/**
 * Loads the weights of a model into memory; quantized ones are expanded.
 * @throws WaggleError `MODEL_CORRUPT`.
 */
export async function loaded(model: OpenedModel): Promise<LoadedModel> {
  const weights = await readDecoderWeights(model.config, expandedWeights(model));
  return { ...model, storedFormat: null, weights };
}

/** The weights as plain numbers, computed as they are read if they are stored quantized. */
export function expandedWeights<T extends TensorMap | TensorSource>({
  config,
  storedFormat,
  weights,
}: Pick<BaseModel, "config" | "storedFormat"> & { readonly weights: T }): T | TensorSource {
  if (storedFormat === null || !("tensors" in weights)) return weights;
  return residentSource(config, weights, storedFormat);
}

/**
 * Opens a model without loading its weights, for callers that need them in a form other than float32.
 * @throws WaggleError like `readBaseModel`.
 */
export async function openBaseModel(path: string): Promise<OpenedModel> {
  const folder = await openModelFolder(path);
  const files: ModelFile[] = [];
  for (const name of folder.paths) {
    if (!name.includes("safetensors")) files.push({ path: name, bytes: await folder.bytes(name) });
  }
  const byPath = new Map(files.map((file) => [file.path, file.bytes]));
  const json = JSON.parse(new TextDecoder().decode(byPath.get("config.json"))) as unknown;
  return {
    reference: await folder.reference(),
    files,
    openFile: folder.file,
    config: parseDecoderConfig(json),
    storedFormat: parseStoredFormat(json),
    weights: await folder.weights(),
    format: readChatFormat(byPath),
  };
}
