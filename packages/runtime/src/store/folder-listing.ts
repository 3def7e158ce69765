/** Which files make the model in a folder of a plain server. Loaded where a model is given so. */
import { MODEL_FILE_NAMES, shardPaths } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { askServer, listedFile, selectFiles, STALL_MS } from "./listed-file.ts";
import type { ListedFile, ListingOptions } from "./listed-file.ts";
import { requestBytes } from "./remote-bytes.ts";
import type { RemoteAnswer } from "./remote-bytes.ts";

/**
 * Tries the names that a folder may hold: a plain server has no listing.
 * @throws WaggleError `NOT_FOUND` where none of them is there, `MODEL_CORRUPT`, `NETWORK`.
 */
export async function listFolder(baseUrl: string, options: ListingOptions): Promise<ListedFile[]> {
  const files = new Map<string, ListedFile>();
  const probeAll = async (paths: readonly string[]): Promise<void> => {
    const found = await Promise.all(paths.map((path) => probe(baseUrl, path, options)));
    for (const file of found) if (file !== null) files.set(file.path, file);
  };
  await probeAll(MODEL_FILE_NAMES);
  if (files.size === 0) {
    throw new WaggleError(
      "NOT_FOUND",
      `${baseUrl} must be the folder of a model, got none of its files; check the address`,
    );
  }
  const index = files.get("model.safetensors.index.json");
  if (index !== undefined && !files.has("model.safetensors")) {
    await probeAll(shardPaths(await options.read(index)));
  }
  return selectFiles(files, options);
}

async function probe(
  baseUrl: string,
  path: string,
  options: ListingOptions,
): Promise<ListedFile | null> {
  const url = `${baseUrl.replace(/\/+$/, "")}/${path}`;
  const isMissing = (answer: RemoteAnswer): boolean =>
    answer.kind === "refused" && answer.error.code === "NOT_FOUND";
  const { fetch, signal, stallMs = STALL_MS } = options;
  // Not every server knows HEAD, and each has its own way to say so.
  let answer = await requestBytes({ url, fetch, method: "HEAD", stallMs, signal });
  if (answer.kind === "refused" && !isMissing(answer)) answer = await askServer(url, options);
  if (isMissing(answer)) return null;
  if (answer.kind === "refused") throw answer.error;
  if (answer.kind === "past-end") return null;
  await answer.cancel();
  return listedFile({
    path,
    url,
    sizeBytes: null,
    sizeHint: answer.totalBytes,
    current: { validator: answer.validator, sizeBytes: answer.totalBytes },
    sha256: options.hashes?.[path] ?? answer.sha256,
    isImmutable: false,
  });
}
