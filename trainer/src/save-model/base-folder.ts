/** A base model's folder, opened without reading its weights: they may be larger than memory. */
import { createHash } from "node:crypto";
import { openAsBlob } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ByteSource,
  type DecoderConfig,
  openModelWeights,
  parseDecoderConfig,
  parseStoredFormat,
  selectModelFiles,
  type TensorSource,
} from "@waggle/model";
import { fileListDigest, WaggleError } from "@waggle/protocol";

export type BaseFolder = {
  readonly config: DecoderConfig;
  /** Every file of the model. */
  readonly paths: readonly string[];
  readonly weights: () => Promise<TensorSource>;
  /** The model's identity: its files are read once for it, piece by piece. */
  readonly digest: (signal: AbortSignal) => Promise<string>;
};

/** @throws WaggleError `NOT_FOUND`, `MODEL_CORRUPT`, `MODEL_UNSUPPORTED` for quantized weights. */
export async function openBaseFolder(folder: string): Promise<BaseFolder> {
  const present = await readdir(folder).catch((cause: unknown) => {
    throw new WaggleError(
      "NOT_FOUND",
      `--base must be a folder with config.json, safetensors and tokenizer.json, got ${folder}; name the model that was trained`,
      { cause },
    );
  });
  const read = async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await readFile(join(folder, path)));
  const paths = await selectModelFiles(present, read);
  const json: unknown = JSON.parse(new TextDecoder().decode(await read("config.json")));
  const stored = parseStoredFormat(json);
  if (stored !== null) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `--base must hold weights as numbers, got ${stored}; name the model it was converted from`,
    );
  }
  return {
    config: parseDecoderConfig(json),
    paths,
    weights: async () => {
      const blobs = new Map<string, Blob>();
      for (const path of paths) blobs.set(path, await openAsBlob(join(folder, path)));
      return openModelWeights(
        (path) => blobs.has(path),
        (path) => bytesOf(blobs.get(path) as Blob),
      );
    },
    digest: async (signal) => {
      const files = [];
      for (const path of paths) {
        const hash = createHash("sha256");
        const blob = await openAsBlob(join(folder, path));
        for await (const piece of blob.stream()) {
          signal.throwIfAborted();
          hash.update(piece);
        }
        files.push({ path, sha256: hash.digest("hex"), sizeBytes: blob.size });
      }
      return fileListDigest(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
    },
  };
}

function bytesOf(blob: Blob): ByteSource {
  return {
    sizeBytes: blob.size,
    read: async (offset, length) =>
      new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
  };
}
