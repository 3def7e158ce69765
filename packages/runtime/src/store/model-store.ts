/**
 * Objects of an edge, by content hash: adapters and the files of small models. They are fetched once, verified, kept in
 * the browser's own storage, and read from there offline. `loadModel` keeps models in the same storage.
 */
import { boundary } from "@waggle/protocol";
import type { BaseModelReference } from "@waggle/protocol";
import type { FallbackStorage } from "./chunk-storage.ts";
import { openChunkedFile } from "./chunked-file.ts";
import { objectKey, objectUrl } from "./edge-objects.ts";
import { downloadFile } from "./file-download.ts";
import type { DownloadOptions } from "./file-download.ts";
import { unlessLocked } from "./file-lock.ts";
import { openBrowserStorage } from "./opfs-storage.ts";
import type { Fetch } from "./remote-bytes.ts";

/** Options of `createModelStore`. */
export type ModelStoreOptions = {
  /** Origin of the edge; objects are read from `<baseUrl>/v1/objects/<sha256>`. */
  readonly baseUrl: string;
  /** Default: the page's. */
  readonly fetch?: Fetch;
  /** Default: the browser's own, backed by memory. */
  readonly storage?: FallbackStorage;
} & Pick<DownloadOptions, "chunkBytes" | "stallMs" | "attempts" | "retryDelayMs">;

/** Loaded and total bytes of one call, according to the references. */
export type LoadProgress = { readonly loadedBytes: number; readonly totalBytes: number };

/** Options of a load. */
export type LoadOptions = {
  /** Called as bytes arrive; stored bytes count at once. Never exceeds the total. */
  readonly onProgress?: (progress: LoadProgress) => void;
  /** Called with each file of a model when it is there and its hash is checked. It may not be stored yet. */
  readonly onFile?: (path: string, bytes: Uint8Array) => void;
  readonly signal?: AbortSignal;
};

/** Objects of one edge, by content hash. */
export interface ModelStore {
  /** False once something is only in memory, and so lost with the page. */
  readonly isDurable: boolean;
  /**
   * The bytes of an object, such as an adapter.
   *
   * @throws WaggleError `NETWORK` (retryable) if it cannot be fetched, `NOT_FOUND` if the edge does not have it,
   *   `DIGEST_MISMATCH` if its bytes do not match the reference.
   */
  object(
    reference: { readonly sha256: string; readonly sizeBytes: number },
    options?: LoadOptions,
  ): Promise<Uint8Array>;
  /** The files of a small model by path, in memory. @throws as `object`. */
  modelFiles(
    model: Pick<BaseModelReference, "files">,
    options?: LoadOptions,
  ): Promise<Map<string, Uint8Array>>;
  /** Deletes every stored object except these hashes and those of models in storage. */
  prune(keep: readonly string[]): Promise<void>;
}

/** A store over the browser's file system, or over memory if there is none. */
export function createModelStore(options: ModelStoreOptions): ModelStore {
  return new ObjectStore(options);
}

type ObjectReference = { readonly sha256: string; readonly sizeBytes: number };

class ObjectStore implements ModelStore {
  readonly #options: ModelStoreOptions;
  #isDurable = true;

  constructor(options: ModelStoreOptions) {
    this.#options = options;
    // Before the first load asks for it.
    void this.#storage();
  }

  get isDurable(): boolean {
    return this.#isDurable;
  }

  object(reference: ObjectReference, options: LoadOptions = {}): Promise<Uint8Array> {
    return this.#load(reference, {
      signal: options.signal,
      onLoaded: (loadedBytes) =>
        options.onProgress?.({ loadedBytes, totalBytes: reference.sizeBytes }),
    });
  }

  async modelFiles(
    model: Pick<BaseModelReference, "files">,
    options: LoadOptions = {},
  ): Promise<Map<string, Uint8Array>> {
    const totalBytes = model.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    const loadedBytes = new Map<string, number>();
    let isOver = false;
    // Together, because each small file would take a round trip and a look into storage.
    const files = await Promise.all(
      model.files.map(async (file) => {
        let isThere = false;
        const onBytes = (bytes: Uint8Array): void => {
          if (!isOver && !isThere) options.onFile?.(file.path, bytes);
          isThere = true;
        };
        const onLoaded = (loaded: number): void => {
          if (isOver) return;
          loadedBytes.set(file.path, loaded);
          let sum = 0;
          for (const each of loadedBytes.values()) sum += each;
          options.onProgress?.({ loadedBytes: sum, totalBytes });
        };
        const bytes = await this.#load(file, { signal: options.signal, onLoaded, onBytes });
        onBytes(bytes);
        return [file.path, bytes] as const;
      }),
    ).finally(() => {
      // After a failure, the other files still arrive in storage. The caller no longer waits for them.
      isOver = true;
    });
    return new Map(files);
  }

  async prune(keep: readonly string[]): Promise<void> {
    await boundary("storage", async () => {
      const storage = await this.#storage();
      const { recordedKeys } = await import("./model-records.ts");
      const kept = await recordedKeys(storage);
      for (const hash of keep) kept.add(objectKey(hash));
      for (const key of await storage.keys()) {
        if (!key.startsWith(objectKey("")) || kept.has(key)) continue;
        await unlessLocked(key, () => storage.remove(key));
      }
    });
  }

  async #load(
    { sha256, sizeBytes }: ObjectReference,
    heard: Pick<DownloadOptions, "onLoaded" | "onBytes" | "signal">,
  ): Promise<Uint8Array> {
    const { signal } = heard;
    signal?.throwIfAborted();
    const storage = await this.#storage();
    const fetch = this.#options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    const file = {
      key: objectKey(sha256),
      url: objectUrl(this.#options.baseUrl, sha256),
      sizeBytes,
      sha256,
      isImmutable: true,
    };
    const { content, bytes: downloaded } = await downloadFile(file, {
      ...this.#options,
      ...heard,
      storage,
      fetch,
    });
    const reader = openChunkedFile(content, {
      storage,
      fetch,
      ...(signal !== undefined && { signal }),
    });
    const bytes = downloaded ?? (await reader.read(0, sizeBytes));
    if (!storage.isDurable) this.#isDurable = false;
    return bytes;
  }

  #storage(): Promise<FallbackStorage> {
    const { storage } = this.#options;
    return storage === undefined ? openBrowserStorage() : Promise.resolve(storage);
  }
}
