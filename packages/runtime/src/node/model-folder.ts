/** A model's folder on this machine, opened without reading its weights, which may exceed memory. */
import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { openModelWeights, selectModelFiles } from "@waggle/model";
import type { ByteSource, TensorSource } from "@waggle/model";
import { fileListDigest, WaggleError } from "@waggle/protocol";
import type { BaseModelReference } from "@waggle/protocol";
import { openFileBytes, readPieces } from "./file-bytes.ts";

/** A model's folder on this machine. */
export type ModelFolder = {
  /** Every file of the model; other files in the folder are not part of it. */
  readonly paths: readonly string[];
  /** A file of the model, read on demand. */
  readonly file: (path: string) => ByteSource;
  /** A whole file of the model. */
  readonly bytes: (path: string) => Promise<Uint8Array>;
  /** @throws WaggleError `MODEL_CORRUPT` if weights are broken. */
  readonly weights: () => Promise<TensorSource>;
  /**
   * The model's identity, for which its files are read once, in pieces. Throws the signal's reason.
   * @param onRead - called with the bytes read so far and their total.
   */
  readonly reference: (
    signal?: AbortSignal,
    onRead?: (doneBytes: number, totalBytes: number) => void,
  ) => Promise<BaseModelReference>;
};

/**
 * @throws WaggleError `NOT_FOUND` without the folder, `MODEL_CORRUPT` if config, weights or
 *   tokenizer are missing.
 */
export async function openModelFolder(folder: string): Promise<ModelFolder> {
  const present = await readdir(folder).catch((cause: unknown) => {
    throw new WaggleError(
      "NOT_FOUND",
      `no model in ${folder}; a model is a folder with config.json, safetensors and tokenizer.json; name another one, or run npm run train-base`,
      { cause },
    );
  });
  const bytes = async (path: string): Promise<Uint8Array> => {
    const file = await openFileBytes(join(folder, path));
    return file.read(0, file.sizeBytes);
  };
  const paths = await selectModelFiles(present, bytes);
  const files = new Map<string, ByteSource>();
  for (const path of paths) files.set(path, await openFileBytes(join(folder, path)));
  const file = (path: string): ByteSource => files.get(path) as ByteSource;
  return {
    paths,
    file,
    bytes: (path) => file(path).read(0, file(path).sizeBytes),
    weights: () => openModelWeights((path) => files.has(path), file),
    reference: async (signal, onRead) => {
      const totalBytes = paths.reduce((sum, path) => sum + file(path).sizeBytes, 0);
      let doneBytes = 0;
      const references = [];
      for (const path of paths.toSorted()) {
        const hash = createHash("sha256");
        for await (const piece of readPieces(file(path), signal)) {
          hash.update(piece);
          doneBytes += piece.length;
          onRead?.(doneBytes, totalBytes);
        }
        const { sizeBytes } = file(path);
        references.push({ path, sha256: hash.digest("hex"), sizeBytes });
      }
      return { sha256: await fileListDigest(references), files: references };
    },
  };
}
