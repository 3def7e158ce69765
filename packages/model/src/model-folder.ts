/** The files that make a base model, by content hash. Reads and writes nothing itself. */
import { fileListDigest, sha256, WaggleError } from "@waggle/protocol";
import type { BaseModelReference } from "@waggle/protocol";

/** The files a model folder holds. */
export const MODEL_FILES: readonly string[] = [
  "config.json",
  "generation_config.json",
  "model.safetensors",
  "tokenizer.json",
  "tokenizer_config.json",
];

/**
 * The reference of a base model: every file with hash and size, sorted by path, and the digest of
 * the list, which is the model's identity (`baseModel` on trajectories).
 * @throws WaggleError `MODEL_CORRUPT` where config, weights or tokenizer are missing.
 */
export async function describeModelFolder(
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): Promise<BaseModelReference> {
  for (const path of ["config.json", "model.safetensors", "tokenizer.json"]) {
    if (!files.some((file) => file.path === path)) {
      throw new WaggleError(
        "MODEL_CORRUPT",
        `a model folder must hold ${path}, got ${files.map((file) => file.path).join(", ") || "nothing"}; add the file`,
      );
    }
  }
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
