/**
 * A file in chunks with hashes: read piece by piece, verified when a chunk is first used, fetched
 * again if it is damaged or missing.
 */
import type { ByteSource } from "@waggle/model";
import { sha256 } from "@waggle/protocol";
import { pastTheEnd, readBlob } from "./blob-bytes.ts";
import type { ChunkStorage } from "./chunk-storage.ts";
import type { Chunk, ChunkedContent } from "./chunked-content.ts";
import type { refetchChunk } from "./refetch-chunk.ts";
import type { Fetch } from "./remote-bytes.ts";

/** Options of `openChunkedFile`. */
export type ChunkedFileOptions = {
  readonly storage: ChunkStorage;
  /** Default: the global one. */
  readonly fetch?: Fetch;
  readonly signal?: AbortSignal;
  /** Given where code cannot be loaded on demand. */
  readonly refetchChunk?: typeof refetchChunk;
};

/** The name under which a chunk is stored. Writers of the same name write the same bytes. */
export function chunkName(index: number, hash: string): string {
  return `${String(index).padStart(6, "0")}-${hash}`;
}

/**
 * Keeps the chunk read last in memory. `read` throws WaggleError `NETWORK` (retryable) if a damaged
 * chunk cannot be fetched, `DIGEST_MISMATCH` if the server has other bytes by now.
 */
export function openChunkedFile(content: ChunkedContent, options: ChunkedFileOptions): ByteSource {
  return new ChunkedFile(content, options);
}

class ChunkedFile implements ByteSource {
  readonly sizeBytes: number;
  readonly #content: ChunkedContent;
  readonly #options: ChunkedFileOptions;
  readonly #verified = new Map<number, Blob>();
  #last: { readonly index: number; readonly bytes: Promise<Uint8Array> } | null = null;

  constructor(content: ChunkedContent, options: ChunkedFileOptions) {
    this.sizeBytes = content.sizeBytes;
    this.#content = content;
    this.#options = options;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (offset < 0 || length < 0 || offset + length > this.sizeBytes) {
      throw pastTheEnd(offset, length, this.sizeBytes);
    }
    const { chunkBytes } = this.#content;
    const out = new Uint8Array(length);
    for (let at = offset; at < offset + length;) {
      this.#options.signal?.throwIfAborted();
      const index = Math.floor(at / chunkBytes);
      const from = at - index * chunkBytes;
      const to = Math.min(chunkBytes, offset + length - index * chunkBytes);
      out.set(await this.#slice(index, from, to), at - offset);
      at = index * chunkBytes + to;
    }
    return out;
  }

  async #slice(index: number, from: number, to: number): Promise<Uint8Array> {
    const verified = this.#verified.get(index);
    if (this.#last?.index !== index && verified !== undefined) {
      // Deleted since by a page that freed storage: fetched again like a damaged chunk.
      const bytes = await readBlob(verified.slice(from, to)).catch(() => null);
      if (bytes !== null) return bytes;
    }
    if (this.#last?.index !== index) this.#last = { index, bytes: this.#load(index) };
    const { bytes } = this.#last;
    try {
      return (await bytes).subarray(from, to);
    } catch (error) {
      if (this.#last?.bytes === bytes) this.#last = null; // the next read tries again
      throw error;
    }
  }

  async #load(index: number): Promise<Uint8Array> {
    const { key, chunks } = this.#content;
    const chunk = chunks[index] as Chunk;
    const name = chunkName(index, chunk.sha256);
    const blob = chunk.held ?? (await this.#options.storage.read(key, name));
    const bytes = blob?.size === chunk.sizeBytes ? await readBlob(blob).catch(() => null) : null;
    if (blob !== null && bytes !== null && (await sha256(bytes)) === chunk.sha256) {
      this.#verified.set(index, blob);
      return bytes;
    }
    const refetch = this.#options.refetchChunk ?? (await import("./refetch-chunk.ts")).refetchChunk;
    const fetched = await refetch(this.#content, index, this.#options);
    await this.#options.storage.write(key, name, fetched).catch(() => undefined);
    return fetched;
  }
}
