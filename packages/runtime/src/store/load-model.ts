/**
 * Loads a model from any source into this browser. Complete files in storage are used without a
 * network, others are fetched, and a model that cannot run here is refused before its weights are
 * fetched.
 */
import { parseDecoderConfig, parseStoredFormat } from "@waggle/model";
import { fileListDigest, WaggleError } from "@waggle/protocol";
import type { FallbackStorage } from "./chunk-storage.ts";
import { openChunkedFile } from "./chunked-file.ts";
import { downloadFile } from "./file-download.ts";
import type { DownloadOptions } from "./file-download.ts";
import type { LoadedFile, LoadedModel } from "./loaded-model.ts";
import { openModel } from "./loaded-model.ts";
import { listRemoteModel } from "./model-listing.ts";
import type { ListedFile } from "./model-listing.ts";
import type { DeviceMemoryOptions, ModelMemoryOptions } from "./model-memory.ts";
import { findRecordedFiles, readModelRecord, writeModelRecord } from "./model-records.ts";
import { modelSourceName, parseModelSource } from "./model-source.ts";
import type { ModelSource } from "./model-source.ts";
import { openBrowserStorage } from "./opfs-storage.ts";
import { LoadProgressSum } from "./progress-sum.ts";
import type { ModelProgress } from "./progress-sum.ts";
import type { Fetch } from "./remote-bytes.ts";

/** Options of `loadModel`. */
export type LoadModelOptions = {
  /** Aborts; downloaded bytes stay in storage. */
  readonly signal?: AbortSignal;
  /** Called as bytes arrive. */
  readonly onProgress?: (progress: ModelProgress) => void;
  /**
   * How the model will run: one that does not fit is refused before its weights are fetched. With a
   * device, its limits are queried for weights of more than 128 MiB, or 16 MiB if quantized.
   * Default: nothing is refused.
   */
  readonly memory?: ModelMemoryOptions | DeviceMemoryOptions | null;
  /** Expected hex sha256 by path: other bytes are refused. */
  readonly hashes?: { readonly [path: string]: string };
  /**
   * Whether to ask the server for a newer version of a branch or folder that is complete in storage.
   * Default false: no request is made for it.
   */
  readonly refresh?: boolean;
  /** Default: the browser's own, backed by memory. */
  readonly storage?: FallbackStorage;
  /** Default: the global one. */
  readonly fetch?: Fetch;
} & Pick<DownloadOptions, "chunkBytes" | "stallMs" | "attempts" | "retryDelayMs">;

/**
 * Loads a model's files, to be read with `openModel`.
 *
 * @param source - a string as for `parseModelSource`.
 * @throws WaggleError `NETWORK` (retryable: resumes where it broke), `NOT_FOUND`, `FORBIDDEN`,
 *   `DIGEST_MISMATCH`, `MODEL_CORRUPT`, `MODEL_UNSUPPORTED`, `MODEL_TOO_LARGE`, and
 *   `DEVICE_UNAVAILABLE` if `memory` asks for `webgpu`. Rejects with the signal's reason.
 */
export async function loadModel(
  source: ModelSource | string,
  options: LoadModelOptions = {},
): Promise<LoadedModel> {
  const wanted = typeof source === "string" ? parseModelSource(source) : source;
  const storage = options.storage ?? (await openBrowserStorage());
  const load = { wanted, storage, name: modelSourceName(wanted), options };
  options.signal?.throwIfAborted();
  const files =
    wanted.kind === "folder" ? await loadFolder(wanted.folder, load) : await loadRemote(load);
  for (const { path, sha256: actual } of files) {
    const expected = options.hashes?.[path];
    if (expected !== undefined && expected !== actual) {
      throw new WaggleError(
        "DIGEST_MISMATCH",
        `${path} has hash ${actual.slice(0, 12)}, not ${expected.slice(0, 12)}; check the hash or the source`,
      );
    }
  }
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const config = sorted.find(({ path }) => path === "config.json");
  return {
    baseModel: await fileListDigest(sorted),
    source: load.name,
    isDurable: wanted.kind === "folder" || sorted.every(isStored),
    files: sorted,
    storedFormat: config === undefined ? null : parseStoredFormat(await readConfig(config, load)),
  };
}

type Load = {
  readonly wanted: ModelSource;
  readonly storage: FallbackStorage;
  readonly name: string;
  readonly options: LoadModelOptions;
};

function isStored({ content }: LoadedFile): boolean {
  return content.kind === "blob" || content.chunks.every(({ held }) => held === null);
}

async function loadFolder(
  folder: FileSystemDirectoryHandle | readonly File[],
  load: Load,
): Promise<LoadedFile[]> {
  const { options } = load;
  const { hashLocalFile, openLocalFolder } = await import("./local-folder.ts");
  const opened = await openLocalFolder(folder);
  const progress = new LoadProgressSum(options.onProgress);
  const sizes = opened.map(({ path, file }) => ({ path, sizeBytes: file.size }));
  for (const { path, sizeBytes } of sizes) progress.total(path, sizeBytes);
  const files: LoadedFile[] = [];
  for (const { path, file } of opened) {
    let read = 0;
    const hashed = await hashLocalFile(path, file, options.signal, (bytes) => {
      read += bytes;
      progress.loaded(path, read);
    });
    files.push(hashed);
    if (path === "config.json") await assertSupported(hashed, sizes, load);
  }
  return files;
}

async function loadRemote(load: Load): Promise<LoadedFile[]> {
  const { wanted, storage, name, options } = load;
  const record = wanted.kind === "objects" ? null : await readModelRecord(storage, name);
  const stored = record === null ? null : await findRecordedFiles(storage, record);
  if (stored !== null && options.refresh !== true) return reportStored(stored, load);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const progress = new LoadProgressSum(options.onProgress);
  const downloaded = new Map<string, LoadedFile>();
  const download = async (file: ListedFile): Promise<LoadedFile> => {
    const { sha256, content } = await downloadFile(file, {
      ...options,
      storage,
      fetch,
      onTotal: (bytes) => progress.total(file.path, bytes),
      onLoaded: (bytes) => progress.loaded(file.path, bytes),
    });
    const loaded = { path: file.path, sha256, sizeBytes: content.sizeBytes, content };
    downloaded.set(file.path, loaded);
    return loaded;
  };
  let listed: ListedFile[];
  try {
    listed = await listRemoteModel(wanted as Exclude<ModelSource, { kind: "folder" }>, {
      ...options,
      fetch,
      // With a stored model to fall back on, there are no retries.
      attempts: stored === null ? options.attempts : 1,
      read: async (file) => {
        const { content } = await download(file);
        if (content.kind === "blob") return new Uint8Array(await content.blob.arrayBuffer());
        return openChunkedFile(content, { ...options, storage }).read(0, content.sizeBytes);
      },
    });
  } catch (error) {
    // A refresh without a network uses the stored model.
    if (stored !== null && WaggleError.is(error, "NETWORK")) return reportStored(stored, load);
    throw error;
  }
  for (const { path, sizeBytes, sizeHint } of listed) {
    progress.total(path, sizeBytes ?? sizeHint);
  }
  if (wanted.kind !== "objects") {
    // Before the files, so that an unfinished download is listed and can be deleted.
    const files = listed.map(({ path, key }) => ({ path, key }));
    await writeModelRecord(storage, { source: name, files });
  }
  // The config first, because it may show that the rest need not be fetched.
  const config = listed.find(({ path }) => path === "config.json");
  if (config !== undefined) await assertSupported(await download(config), listed, load);
  const files: LoadedFile[] = [];
  for (const file of listed) files.push(downloaded.get(file.path) ?? (await download(file)));
  return files;
}

async function reportStored(files: LoadedFile[], load: Load): Promise<LoadedFile[]> {
  const { options } = load;
  const config = files.find(({ path }) => path === "config.json");
  if (config !== undefined) await assertSupported(config, files, load);
  const progress = new LoadProgressSum(options.onProgress);
  for (const { path, sizeBytes } of files) progress.total(path, sizeBytes);
  for (const { path, sizeBytes } of files) progress.loaded(path, sizeBytes);
  return files;
}

/** Models up to this size fit every device whose browser can run them. */
const SMALL_WEIGHTS = 128 * 2 ** 20;

/** Maximum growth of stored quantized weights when a device expands them. */
const MOST_GROWTH = 8;

/** `null`: the size is unknown. */
type SizedFile = Pick<ListedFile, "sizeBytes"> & Partial<Pick<ListedFile, "sizeHint">>;

/** @throws WaggleError `MODEL_UNSUPPORTED`, `MODEL_TOO_LARGE`, `MODEL_CORRUPT`. */
async function assertSupported(
  file: LoadedFile,
  files: readonly SizedFile[],
  load: Load,
): Promise<void> {
  const json = await readConfig(file, load);
  const config = parseDecoderConfig(json);
  const { memory } = load.options;
  const total = files.reduce(
    (sum, { sizeBytes, sizeHint }) => sum + (sizeBytes ?? sizeHint ?? Infinity),
    0,
  );
  const stored = parseStoredFormat(json);
  const most = stored === null ? total : total * MOST_GROWTH;
  if (memory == null || ("device" in memory && most <= SMALL_WEIGHTS)) return;
  const { assertModelFits, onDevice } = await import("./model-fit.ts");
  const options = "device" in memory ? await onDevice(memory) : memory;
  assertModelFits(config, { ...options, dtype: stored ?? options.dtype });
}

async function readConfig(file: LoadedFile, { storage, options }: Load): Promise<unknown> {
  const { signal, fetch } = options;
  const reader = await openModel(
    { files: [file] },
    { storage, ...(signal !== undefined && { signal }), ...(fetch !== undefined && { fetch }) },
  );
  try {
    return JSON.parse(new TextDecoder().decode(await reader.bytes(file.path)));
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new WaggleError("MODEL_CORRUPT", "config.json is not JSON; check the address", { cause });
  }
}
