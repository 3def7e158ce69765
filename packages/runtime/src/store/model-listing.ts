/**
 * Lists the files that make up a remote source's model: their URLs, and what is known about them in
 * advance. Fetches no file.
 */
import { MODEL_FILE_NAMES, selectModelFiles, shardPaths } from "@waggle/model";
import { sha256, WaggleError } from "@waggle/protocol";
import { waitToRetry } from "./backoff.ts";
import type { RetryOptions } from "./backoff.ts";
import { objectKey, objectUrl } from "./edge-objects.ts";
import type { RemoteFile } from "./file-download.ts";
import { HUGGING_FACE } from "./model-source.ts";
import type { ModelSource } from "./model-source.ts";
import { hashOrNull, requestBytes } from "./remote-bytes.ts";
import type { Fetch, RemoteAnswer, RemoteRequest } from "./remote-bytes.ts";

/** A file of a model, before it is fetched. */
export type ListedFile = RemoteFile & {
  readonly path: string;
  /** The size that a server stated without guarantee. */
  readonly sizeHint: number | null;
};

export type ListingOptions = {
  readonly fetch: Fetch;
  readonly stallMs?: number | undefined;
  /** Reads a small listed file: the index of shards. */
  readonly read: (file: ListedFile) => Promise<Uint8Array>;
  /** Expected hex sha256 by path. */
  readonly hashes?: { readonly [path: string]: string } | undefined;
} & RetryOptions;

const STALL_MS = 20_000;

/**
 * @throws WaggleError `NOT_FOUND` for a missing repository, `FORBIDDEN` for one that needs a token,
 *   `MODEL_CORRUPT` if files are missing, `NETWORK` (retryable).
 */
export async function listRemoteModel(
  source: Exclude<ModelSource, { kind: "folder" }>,
  options: ListingOptions,
): Promise<ListedFile[]> {
  switch (source.kind) {
    case "objects":
      return source.model.files.map((file) => ({
        ...file,
        key: objectKey(file.sha256),
        url: objectUrl(source.baseUrl, file.sha256),
        isImmutable: true,
        sizeHint: file.sizeBytes,
      }));
    case "url":
      return probeFolder(source.baseUrl, options);
    case "hugging-face":
      return listRepository(source, options);
  }
}

type HubFile = {
  readonly rfilename?: unknown;
  readonly size?: unknown;
  readonly lfs?: { readonly sha256?: unknown } | null;
};

/**
 * Asks the Hub for commit, sizes and hashes in one request. (A page cannot read the hash in a
 * download's headers: it is on the redirect, which `fetch` follows silently.)
 */
async function listRepository(
  source: Extract<ModelSource, { kind: "hugging-face" }>,
  options: ListingOptions,
): Promise<ListedFile[]> {
  const { repository, revision = "main", folder, endpoint = HUGGING_FACE } = source;
  const host = endpoint.replace(/\/+$/, "");
  const url = `${host}/api/models/${repository}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const answer = await readJsonAnswer(url, options);
  const { sha: commit, siblings } = answer as { sha?: unknown; siblings?: unknown };
  if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit) || !Array.isArray(siblings)) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `${host} did not answer with a commit and its files; check the endpoint`,
    );
  }
  const prefix = folder === undefined ? "" : `${folder.replace(/\/+$/, "")}/`;
  const files = new Map<string, ListedFile>();
  for (const { rfilename, size, lfs } of siblings as HubFile[]) {
    if (typeof rfilename !== "string" || !rfilename.startsWith(prefix)) continue;
    const path = rfilename.slice(prefix.length);
    const name = rfilename.split("/").map(encodeURIComponent).join("/");
    files.set(
      path,
      await listedFile({
        path,
        url: `${host}/${repository}/resolve/${commit}/${name}`,
        sizeBytes: typeof size === "number" ? size : null,
        sizeHint: null,
        sha256: options.hashes?.[path] ?? hashOrNull(lfs?.sha256),
        isImmutable: true,
      }),
    );
  }
  return select(files, options);
}

/** Tries the file names that a folder may have, because a plain server has no listing. */
async function probeFolder(baseUrl: string, options: ListingOptions): Promise<ListedFile[]> {
  const files = new Map<string, ListedFile>();
  const probeAll = async (paths: readonly string[]): Promise<void> => {
    const found = await Promise.all(paths.map((path) => probe(baseUrl, path, options)));
    for (const file of found) if (file !== null) files.set(file.path, file);
  };
  await probeAll(MODEL_FILE_NAMES);
  if (files.size === 0) {
    throw new WaggleError("NOT_FOUND", `${baseUrl} has no files of a model; check the address`);
  }
  const index = files.get("model.safetensors.index.json");
  if (index !== undefined && !files.has("model.safetensors")) {
    await probeAll(shardPaths(await options.read(index)));
  }
  return select(files, options);
}

async function probe(
  baseUrl: string,
  path: string,
  options: ListingOptions,
): Promise<ListedFile | null> {
  const url = `${baseUrl.replace(/\/+$/, "")}/${path}`;
  const isMissing = (answer: RemoteAnswer): boolean =>
    answer.kind === "refused" && answer.error.code === "NOT_FOUND";
  const request = requestOf(url, options);
  let answer = await requestBytes({ ...request, method: "HEAD" });
  if (answer.kind === "refused" && !isMissing(answer)) {
    const { isUnreadable } = await import("./unreadable-answer.ts");
    if (await isUnreadable(request, answer)) return null;
    // Not every server supports HEAD, and they refuse it in different ways.
    answer = await ask(url, options);
  }
  if (isMissing(answer) || answer.kind === "past-end") return null;
  if (answer.kind === "refused") throw answer.error;
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

async function select(
  files: ReadonlyMap<string, ListedFile>,
  options: ListingOptions,
): Promise<ListedFile[]> {
  const paths = await selectModelFiles([...files.keys()], (path) =>
    options.read(files.get(path) as ListedFile),
  );
  return paths.map((path) => files.get(path) as ListedFile);
}

/**
 * Files with a known hash are stored under it, so that equal files from two places are stored once.
 */
async function listedFile(file: Omit<ListedFile, "key">): Promise<ListedFile> {
  const key = file.sha256 === null ? `u-${await sha256(file.url)}` : objectKey(file.sha256);
  return { ...file, key };
}

function requestOf(
  url: string,
  { fetch, signal, stallMs = STALL_MS }: ListingOptions,
): RemoteRequest {
  return { url, fetch, stallMs, signal };
}

/** Retries temporary failures. */
async function ask(url: string, options: ListingOptions): Promise<RemoteAnswer> {
  for (let failures = 1; ; failures++) {
    const answer = await requestBytes(requestOf(url, options));
    if (answer.kind !== "refused" || !answer.error.retryable) return answer;
    await waitToRetry(answer, failures, options);
  }
}

async function readJsonAnswer(url: string, options: ListingOptions): Promise<object> {
  const answer = await ask(url, options);
  if (answer.kind === "refused") throw answer.error;
  const pieces: Uint8Array[] = [];
  if (answer.kind === "body") for await (const piece of answer.pieces()) pieces.push(piece);
  try {
    return JSON.parse(await new Blob(pieces as Uint8Array<ArrayBuffer>[]).text()) as object;
  } catch (cause) {
    throw new WaggleError("MODEL_CORRUPT", `${url} is not JSON; check the endpoint`, {
      cause,
    });
  }
}
