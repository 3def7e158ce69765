/**
 * Model files and adapters by content hash: fetched once, verified, kept in the browser's own
 * storage, read from there offline. Knows no policy and no manifest's meaning.
 */
import { readAdapter } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { boundary, sha256, WaggleError } from "@waggle/protocol";
import type { AdapterReference, BaseModelReference } from "@waggle/protocol";

/** The part of the Cache API that is used. */
export type ObjectCaches = {
  open(name: string): Promise<{
    match(key: string): Promise<Response | undefined>;
    put(key: string, response: Response): Promise<void>;
    delete(key: string): Promise<boolean>;
    keys(): Promise<readonly { readonly url: string }[]>;
  }>;
};

export type ModelStoreOptions = {
  /** Origin of the edge; objects are read from `<baseUrl>/v1/objects/<sha256>`. */
  readonly baseUrl: string;
  /** Default: the page's. */
  readonly fetch?: (url: string, init: { signal?: AbortSignal | null }) => Promise<Response>;
  /** Default: the page's. `null`, or a page without secure context: memory only. */
  readonly caches?: ObjectCaches | null;
};

/** Bytes of all files of one call that are here, out of what their references promise. */
export type LoadProgress = { readonly loadedBytes: number; readonly totalBytes: number };

export type LoadOptions = {
  /** Called as bytes come in; what was stored counts at once. Never more than the total. */
  readonly onProgress?: (progress: LoadProgress) => void;
  readonly signal?: AbortSignal;
};

export interface ModelStore {
  /** False once something could only be kept in memory, and is gone with the page. */
  readonly isDurable: boolean;
  /**
   * The files of a base model by path.
   *
   * @throws WaggleError `NETWORK` (retryable) when a file cannot be fetched, `NOT_FOUND` when the
   *   edge does not have it, `DIGEST_MISMATCH` when its bytes are not those of the reference.
   */
  modelFiles(
    model: Pick<BaseModelReference, "files">,
    options?: LoadOptions,
  ): Promise<Map<string, Uint8Array>>;
  /** One adapter. @throws as `modelFiles`, and `ADAPTER_INCOMPATIBLE` when it does not fit. */
  adapter(
    reference: AdapterReference,
    config: DecoderConfig,
    options?: LoadOptions,
  ): Promise<Adapter>;
  /** Deletes every stored object but these, by hash: adapters of the past. */
  prune(keep: readonly string[]): Promise<void>;
}

const CACHE_NAME = "waggle-objects-1";
/** Keys are names, not addresses: one object served by two edges is stored once. */
const KEY_PREFIX = "https://objects.waggle.invalid/";

/** A store over the page's Cache API, or over memory where there is none. */
export function createModelStore(options: ModelStoreOptions): ModelStore {
  return new CachedStore(options);
}

type ObjectReference = { readonly sha256: string; readonly sizeBytes: number };

class CachedStore implements ModelStore {
  readonly #baseUrl: string;
  readonly #fetch: NonNullable<ModelStoreOptions["fetch"]>;
  readonly #caches: ObjectCaches | null;
  readonly #memory = new Map<string, Uint8Array>();
  #isDurable: boolean;

  constructor({ baseUrl, fetch, caches }: ModelStoreOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
    // Absent in pages without a secure context, whatever the types say.
    this.#caches = caches === undefined ? ((globalThis.caches as ObjectCaches) ?? null) : caches;
    this.#isDurable = this.#caches !== null;
  }

  get isDurable(): boolean {
    return this.#isDurable;
  }

  async modelFiles(
    model: Pick<BaseModelReference, "files">,
    options: LoadOptions = {},
  ): Promise<Map<string, Uint8Array>> {
    const totalBytes = model.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    let done = 0;
    const files = new Map<string, Uint8Array>();
    // One after the other: the large file is what takes the time, and progress stays in order.
    for (const file of model.files) {
      const bytes = await this.#load(file, options.signal, (loaded) =>
        options.onProgress?.({ loadedBytes: done + loaded, totalBytes }),
      );
      done += file.sizeBytes;
      files.set(file.path, bytes);
    }
    return files;
  }

  async adapter(
    reference: AdapterReference,
    config: DecoderConfig,
    options: LoadOptions = {},
  ): Promise<Adapter> {
    const totalBytes = reference.sizeBytes;
    const bytes = await this.#load(reference, options.signal, (loadedBytes) =>
      options.onProgress?.({ loadedBytes, totalBytes }),
    );
    return readAdapter(bytes, reference, config);
  }

  async prune(keep: readonly string[]): Promise<void> {
    const kept = new Set(keep);
    for (const hash of this.#memory.keys()) if (!kept.has(hash)) this.#memory.delete(hash);
    const caches = this.#caches;
    if (caches === null) return;
    await boundary("storage", async () => {
      const cache = await caches.open(CACHE_NAME);
      for (const { url } of await cache.keys()) {
        if (!kept.has(url.slice(KEY_PREFIX.length))) await cache.delete(url);
      }
    });
  }

  async #load(
    reference: ObjectReference,
    signal: AbortSignal | undefined,
    onLoaded: (bytes: number) => void,
  ): Promise<Uint8Array> {
    const stored = await this.#stored(reference);
    if (stored !== null) {
      onLoaded(reference.sizeBytes);
      return stored;
    }
    const bytes = await this.#download(reference, signal, onLoaded);
    await assertHash(bytes, reference);
    await this.#keep(reference.sha256, bytes);
    return bytes;
  }

  async #stored({ sha256: hash }: ObjectReference): Promise<Uint8Array | null> {
    const inMemory = this.#memory.get(hash);
    if (inMemory !== undefined) return inMemory;
    if (this.#caches === null) return null;
    try {
      const cache = await this.#caches.open(CACHE_NAME);
      const response = await cache.match(KEY_PREFIX + hash);
      if (response === undefined) return null;
      const bytes = new Uint8Array(await response.arrayBuffer());
      if ((await sha256(bytes)) === hash) return bytes;
      await cache.delete(KEY_PREFIX + hash); // damaged in storage: fetched again
      return null;
    } catch {
      return null; // storage that cannot be read is storage that holds nothing
    }
  }

  async #keep(hash: string, bytes: Uint8Array): Promise<void> {
    if (this.#caches !== null) {
      try {
        const cache = await this.#caches.open(CACHE_NAME);
        await cache.put(KEY_PREFIX + hash, new Response(bytes as Uint8Array<ArrayBuffer>));
        return;
      } catch {
        // Over quota, or storage refused by the browser: the page works, the next one loads again.
      }
    }
    this.#isDurable = false;
    this.#memory.set(hash, bytes);
  }

  async #download(
    { sha256: hash, sizeBytes }: ObjectReference,
    signal: AbortSignal | undefined,
    onLoaded: (bytes: number) => void,
  ): Promise<Uint8Array> {
    return boundary("network", async () => {
      const url = `${this.#baseUrl}/v1/objects/${hash}`;
      const response = await this.#fetch(url, { signal: signal ?? null });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        throw new WaggleError(
          response.status === 404 ? "NOT_FOUND" : "NETWORK",
          `object ${hash.slice(0, 12)} must be served, got status ${response.status}; publish it to the edge first`,
          { retryable: response.status >= 500 || response.status === 429 },
        );
      }
      const bytes = new Uint8Array(sizeBytes);
      let loaded = 0;
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (loaded + value.length > sizeBytes) {
          await reader.cancel();
          throw sizeMismatch(hash, sizeBytes, `more than ${sizeBytes}`);
        }
        bytes.set(value, loaded);
        loaded += value.length;
        onLoaded(loaded);
      }
      if (loaded !== sizeBytes) throw sizeMismatch(hash, sizeBytes, String(loaded));
      return bytes;
    });
  }
}

async function assertHash(bytes: Uint8Array, { sha256: hash }: ObjectReference): Promise<void> {
  const actual = await sha256(bytes);
  if (actual === hash) return;
  throw new WaggleError(
    "DIGEST_MISMATCH",
    `an object must have the hash it is named by, got ${actual.slice(0, 12)} for ${hash.slice(0, 12)}; publish it again`,
  );
}

function sizeMismatch(hash: string, expected: number, actual: string): WaggleError {
  return new WaggleError(
    "DIGEST_MISMATCH",
    `object ${hash.slice(0, 12)} must have ${expected} bytes, got ${actual}; publish it again`,
    { retryable: true },
  );
}
