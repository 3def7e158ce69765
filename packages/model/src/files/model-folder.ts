/**
 * A Hugging Face model folder: the files that make up the base model, their content hash, and their
 * weights, in one file or in shards. Callers pass in how files are read.
 */
import { fileListDigest, sha256, WaggleError } from "@waggle/protocol";
import type { BaseModelReference, TensorMap } from "@waggle/protocol";
import { CALIBRATION_FILE } from "./calibration-file.ts";
import { shardPaths } from "./safetensors-header.ts";
import { readSafetensors, readShardedSafetensors } from "./safetensors.ts";
import { openSafetensors, openShardedSafetensors } from "./tensor-source.ts";
import type { ByteSource, TensorSource } from "./tensor-source.ts";

const WEIGHTS = "model.safetensors";
const WEIGHTS_INDEX = "model.safetensors.index.json";

/** Files besides the weights. Other files are not part of the model. */
const DESCRIPTION_FILES: readonly string[] = [
  CALIBRATION_FILE,
  "chat_template.jinja",
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
];

/** All file names that a model's folder may have, besides shards. */
export const MODEL_FILE_NAMES: readonly string[] = [...DESCRIPTION_FILES, WEIGHTS, WEIGHTS_INDEX];

/** A file of a model folder. */
export type ModelFile = { readonly path: string; readonly bytes: Uint8Array };

/**
 * Paths of the files that make up the base model, including the shards named by the index.
 * @param present - names of the files of the folder.
 * @param readIndex - returns the bytes of the index, if there is one instead of a single file.
 * @throws WaggleError `MODEL_CORRUPT` if config, weights or tokenizer are missing.
 */
export async function selectModelFiles(
  present: readonly string[],
  readIndex: (path: string) => Promise<Uint8Array>,
): Promise<string[]> {
  requireWhole(present);
  const paths = DESCRIPTION_FILES.filter((path) => present.includes(path));
  if (present.includes(WEIGHTS)) paths.push(WEIGHTS);
  else paths.push(WEIGHTS_INDEX, ...shardPaths(await readIndex(WEIGHTS_INDEX)));
  const missing = paths.find((path) => !present.includes(path));
  if (missing !== undefined) throw lacks(missing, present);
  return paths;
}

/**
 * Describes a base model: every file with hash and size, sorted by path, and the digest of that list,
 * which is the model's identity (`baseModel` on trajectories).
 * @throws WaggleError `MODEL_CORRUPT` if config, weights or tokenizer are missing.
 */
export async function describeModelFolder(
  files: readonly ModelFile[],
): Promise<BaseModelReference> {
  requireWhole(files.map(({ path }) => path));
  const references = await Promise.all(
    files.map(async ({ path, bytes }) => ({
      path,
      sha256: await sha256(bytes),
      sizeBytes: bytes.length,
    })),
  );
  references.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { sha256: await fileListDigest(references), files: references };
}

/**
 * Reads all tensors of a model's files.
 * @throws WaggleError `MODEL_CORRUPT` if a file is missing or broken.
 */
export async function readModelWeights(files: ReadonlyMap<string, Uint8Array>): Promise<TensorMap> {
  const read = (path: string): Uint8Array => {
    const bytes = files.get(path);
    if (bytes === undefined) throw lacks(path, [...files.keys()]);
    return bytes;
  };
  if (files.has(WEIGHTS) || !files.has(WEIGHTS_INDEX)) {
    return readSafetensors(read(WEIGHTS)).tensors;
  }
  return readShardedSafetensors(read(WEIGHTS_INDEX), (path) => Promise.resolve(read(path)));
}

/**
 * Opens the tensors of a model's files, to be read on demand.
 * @param open - opens a file and throws if there is none.
 * @throws WaggleError `MODEL_CORRUPT` if a file is missing or broken.
 */
export async function openModelWeights(
  has: (path: string) => boolean,
  open: (path: string) => ByteSource,
): Promise<TensorSource> {
  if (has(WEIGHTS) || !has(WEIGHTS_INDEX)) return openSafetensors(open(WEIGHTS));
  const index = open(WEIGHTS_INDEX);
  return openShardedSafetensors(await index.read(0, index.sizeBytes), async (path) => open(path));
}

function requireWhole(present: readonly string[]): void {
  for (const path of ["config.json", "tokenizer.json"]) {
    if (!present.includes(path)) throw lacks(path, present);
  }
  if (!present.includes(WEIGHTS) && !present.includes(WEIGHTS_INDEX)) {
    throw lacks(`${WEIGHTS} or ${WEIGHTS_INDEX}`, present);
  }
}

function lacks(path: string, present: readonly string[]): WaggleError {
  return new WaggleError(
    "MODEL_CORRUPT",
    `the model folder has no ${path}, only ${present.join(", ").slice(0, 500) || "nothing"}; add the file`,
  );
}
