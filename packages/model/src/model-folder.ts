/**
 * A Hugging Face model folder: which of its files make the base model, their content hash, and the
 * weights in them, in one file or in shards. Reads through what it is given; opens nothing itself.
 */
import { fileListDigest, sha256, WaggleError } from "@waggle/protocol";
import type { BaseModelReference, TensorMap } from "@waggle/protocol";
import { shardPaths } from "./safetensors-header.ts";
import { readSafetensors, readShardedSafetensors } from "./safetensors.ts";

const WEIGHTS = "model.safetensors";
const WEIGHTS_INDEX = "model.safetensors.index.json";

/** Files besides the weights; what else a folder holds is not part of the model. */
const DESCRIPTION_FILES: readonly string[] = [
  "chat_template.jinja",
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
];

export type ModelFile = { readonly path: string; readonly bytes: Uint8Array };

/**
 * The files of a folder that make the base model, shards as its index names them.
 * @param present names of the files of the folder.
 * @param read gives the bytes of one of them.
 * @throws WaggleError `MODEL_CORRUPT` where config, weights or tokenizer are missing.
 */
export async function collectModelFiles(
  present: readonly string[],
  read: (path: string) => Promise<Uint8Array>,
): Promise<ModelFile[]> {
  const paths = DESCRIPTION_FILES.filter((path) => present.includes(path));
  const files: ModelFile[] = [];
  if (present.includes(WEIGHTS)) paths.push(WEIGHTS);
  else if (present.includes(WEIGHTS_INDEX)) {
    const index = await read(WEIGHTS_INDEX);
    files.push({ path: WEIGHTS_INDEX, bytes: index });
    paths.push(...shardPaths(index));
  }
  const missing = paths.filter((path) => !present.includes(path));
  if (missing.length > 0) throw lacks(missing[0] as string, present);
  for (const path of paths) files.push({ path, bytes: await read(path) });
  requireWhole(files.map(({ path }) => path));
  return files;
}

/**
 * The reference of a base model: every file with hash and size, sorted by path, and the digest of
 * the list, which is the model's identity (`baseModel` on trajectories).
 * @throws WaggleError `MODEL_CORRUPT` where config, weights or tokenizer are missing.
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
 * The tensors of a model's files by path.
 * @throws WaggleError `MODEL_CORRUPT` where a file is missing or broken.
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
    `a model folder must hold ${path}, got ${present.join(", ").slice(0, 500) || "nothing"}; add the file`,
  );
}
