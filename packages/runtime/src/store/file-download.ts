/**
 * Downloads a file into storage in chunks. Resumes at the byte where it broke, in this page or the
 * next, starts again if the file changed, and never trusts bytes that it has not hashed.
 */
import { WaggleError } from "@waggle/protocol";
import { waitToRetry } from "./backoff.ts";
import type { FailedRequest, RetryOptions } from "./backoff.ts";
import { ChunkAssembly, findWholeFile, storedBytes } from "./chunk-assembly.ts";
import type { PartialFile, WholeFile } from "./chunk-assembly.ts";
import type { FallbackStorage } from "./chunk-storage.ts";
import { withFileLock } from "./file-lock.ts";
import { requestBytes } from "./remote-bytes.ts";
import type { Fetch, RemoteAnswer } from "./remote-bytes.ts";

/** A file to download. */
export type RemoteFile = {
  /** Key in storage, unique to the file. */
  readonly key: string;
  readonly url: string;
  /** `null` if unknown in advance. */
  readonly sizeBytes: number | null;
  readonly sha256: string | null;
  /** Whether the URL names a version, so that its bytes never change. */
  readonly isImmutable: boolean;
  /** The server's current version: a stored file of another version is fetched again. */
  readonly current?: { readonly validator: string | null; readonly sizeBytes: number | null };
};

/** Options of `downloadFile`. */
export type DownloadOptions = {
  readonly storage: FallbackStorage;
  readonly fetch: Fetch;
  /** Called with the bytes loaded so far, which decrease if the file must start again. */
  readonly onLoaded?: (bytes: number) => void;
  /** Called with the bytes of a file that is one chunk, when their hash is checked and they are not stored yet. */
  readonly onBytes?: (bytes: Uint8Array) => void;
  /** Called with the file's size once known. */
  readonly onTotal?: (bytes: number) => void;
  /** Default 8 MiB. */
  readonly chunkBytes?: number | undefined;
  /** Longest time without a byte before a request ends, in milliseconds. Default 20 000. */
  readonly stallMs?: number | undefined;
} & RetryOptions;

const CHUNK_BYTES = 8 * 1024 * 1024;
const STALL_MS = 20_000;
/** Interval at which a waiting tab checks another tab's progress. */
const WATCH_MS = 500;

/**
 * Gets the file from storage or the network. One tab at a time fetches it; others wait and then
 * find it.
 *
 * @throws WaggleError `NETWORK` (retryable, keeping what was loaded), `NOT_FOUND`, `FORBIDDEN`, or
 *   `DIGEST_MISMATCH` if size or hash differ from the expected ones. Rejects with the signal's
 *   reason.
 */
export async function downloadFile(file: RemoteFile, options: DownloadOptions): Promise<WholeFile> {
  const found = await findCurrentFile(file, options.storage);
  if (found !== null) return report(found, options);
  const watch = setInterval(() => {
    void storedBytes(options.storage, file.key).then((bytes) => {
      if (!isMine) options.onLoaded?.(bytes);
    });
  }, WATCH_MS);
  let isMine = false;
  try {
    return await withFileLock(file.key, options.signal, async () => {
      isMine = true;
      const meanwhile = await findCurrentFile(file, options.storage);
      if (meanwhile !== null) return report(meanwhile, options);
      return new FileDownload(file, options).run();
    });
  } finally {
    clearInterval(watch);
  }
}

/** A stored file, unless the server has another version of it. Without ETags, sizes are compared. */
async function findCurrentFile(
  { key, current, isImmutable, sha256 }: RemoteFile,
  storage: FallbackStorage,
): Promise<WholeFile | null> {
  const found = await findWholeFile(storage, key);
  if (found === null || current === undefined || isImmutable || sha256 !== null) return found;
  const isCurrent =
    current.validator === null
      ? current.sizeBytes === null || current.sizeBytes === found.content.sizeBytes
      : current.validator === found.validator;
  return isCurrent ? found : null;
}

function report(found: WholeFile, { onTotal, onLoaded }: DownloadOptions): WholeFile {
  onTotal?.(found.content.sizeBytes);
  onLoaded?.(found.content.sizeBytes);
  return found;
}

type Body = Extract<RemoteAnswer, { kind: "body" }>;

class FileDownload {
  readonly #file: RemoteFile;
  readonly #options: DownloadOptions;
  readonly #isKnown: boolean;
  #expectedHash: string | null;

  constructor(file: RemoteFile, options: DownloadOptions) {
    this.#file = file;
    this.#options = options;
    this.#expectedHash = file.sha256;
    this.#isKnown = file.isImmutable || file.sha256 !== null;
  }

  async run(): Promise<WholeFile> {
    const { storage, chunkBytes = CHUNK_BYTES } = this.#options;
    const { key } = this.#file;
    const assembly = await ChunkAssembly.open(storage, key, chunkBytes, (partial) =>
      this.#canContinue(partial),
    );
    if (assembly.loadedBytes > 0) this.#options.onLoaded?.(assembly.loadedBytes);
    try {
      await this.#fetchAll(assembly);
      const hash = await assembly.digest();
      if (this.#expectedHash !== null && hash !== this.#expectedHash) {
        throw this.#mismatch(`hash ${this.#expectedHash.slice(0, 12)}`, hash.slice(0, 12), false);
      }
      if (assembly.only !== null) this.#options.onBytes?.(assembly.only);
      return await assembly.finish(this.#file.url, hash);
    } catch (error) {
      if (WaggleError.is(error, "DIGEST_MISMATCH")) await assembly.restart();
      else await assembly.flush();
      throw error;
    }
  }

  async #fetchAll(assembly: ChunkAssembly): Promise<void> {
    const { signal } = this.#options;
    let best = assembly.loadedBytes;
    for (let failures = 0; ;) {
      signal?.throwIfAborted();
      const outcome = await this.#attempt(assembly);
      if (outcome === "whole") return;
      if (assembly.loadedBytes > best) {
        best = assembly.loadedBytes;
        failures = 0;
      }
      failures++;
      await waitToRetry(outcome, failures, this.#options);
    }
  }

  async #attempt(assembly: ChunkAssembly): Promise<"whole" | FailedRequest> {
    const { partial } = assembly;
    if (assembly.loadedBytes > 0 && (partial === null || !this.#canContinue(partial))) {
      await assembly.restart();
    }
    const offset = assembly.loadedBytes;
    if (offset > 0 && offset === (this.#file.sizeBytes ?? partial?.totalBytes)) return "whole";
    const answer = await requestBytes({
      url: this.#file.url,
      fetch: this.#options.fetch,
      offset,
      // The tag of a compressed body would not fit a range, which is of the file itself.
      validator: this.#isKnown ? null : (partial?.validator ?? null),
      stallMs: this.#options.stallMs ?? STALL_MS,
      signal: this.#options.signal,
    });
    if (answer.kind === "refused") return answer;
    if (answer.kind === "past-end") {
      if (answer.totalBytes === offset && this.#file.sizeBytes === null) return "whole";
      const error = this.#mismatch(
        `${this.#file.sizeBytes ?? `more than ${offset}`} bytes`,
        answer.totalBytes ?? `at most ${offset}`,
        true,
      );
      await assembly.restart();
      return { error, retryAfterMs: 0 };
    }
    if (answer.offset !== offset || (offset > 0 && this.#hasChanged(partial, answer))) {
      if (assembly.loadedBytes > 0) await assembly.restart();
      this.#options.onLoaded?.(0);
      if (answer.offset !== 0) {
        await answer.cancel();
        return { error: this.#mismatch("the same bytes", "a changed file", true), retryAfterMs: 0 };
      }
    }
    return this.#read(assembly, answer);
  }

  async #read(assembly: ChunkAssembly, answer: Body): Promise<"whole" | FailedRequest> {
    const { url, sizeBytes } = this.#file;
    const { storage, onTotal, onLoaded } = this.#options;
    this.#expectedHash ??= answer.sha256;
    const expected = sizeBytes ?? (answer.isExactTotal ? answer.totalBytes : null);
    const total = expected ?? answer.totalBytes;
    if (total !== null) {
      onTotal?.(total);
      await storage.announce(total - assembly.loadedBytes);
    }
    try {
      await assembly.describe({ url, validator: answer.validator, totalBytes: expected });
      for await (const piece of answer.pieces()) {
        if (expected !== null && assembly.loadedBytes + piece.length > expected) {
          throw this.#mismatch(`${expected} bytes`, "more", true);
        }
        await assembly.add(piece);
        onLoaded?.(assembly.loadedBytes);
      }
    } catch (error) {
      if (WaggleError.is(error, "NETWORK")) return { error, retryAfterMs: 0 };
      throw error;
    }
    // The total may be the size of a compressed body, or the body was cut off.
    if (assembly.loadedBytes === expected) return "whole";
    if (expected === null && assembly.loadedBytes >= (total ?? 0)) return "whole";
    const error = this.#mismatch(`${total} bytes`, assembly.loadedBytes, true);
    return { error, retryAfterMs: 0 };
  }

  /** Whether these bytes can be the beginning of the server's current file. */
  #canContinue(partial: PartialFile): boolean {
    return this.#isKnown || partial.validator !== null;
  }

  #hasChanged(partial: PartialFile | null, answer: Body): boolean {
    const isOther = answer.validator !== (partial?.validator ?? null);
    const total = partial?.totalBytes ?? null;
    const isLonger = total !== null && answer.isExactTotal && answer.totalBytes !== total;
    return isLonger || (isOther && !this.#isKnown);
  }

  #mismatch(expected: string, actual: string | number, retryable: boolean): WaggleError {
    const name = this.#file.url.split("?")[0]?.split("/").at(-1)?.slice(0, 100) ?? "";
    return new WaggleError(
      "DIGEST_MISMATCH",
      `${name} does not match its reference: expected ${expected}, got ${actual}; publish it again`,
      { retryable },
    );
  }
}
