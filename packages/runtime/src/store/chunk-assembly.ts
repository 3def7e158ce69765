/**
 * Splits the bytes of a file into chunks as they arrive, hashes and stores them, and finds chunks
 * that an earlier page stored. Chunk names contain hashes, so a listing shows which ones exist, and
 * an incomplete chunk is never mistaken for a complete one.
 */
import { sha256 } from "@waggle/protocol";
import { readBlob } from "./blob-bytes.ts";
import type { FallbackStorage } from "./chunk-storage.ts";
import { chunkName } from "./chunked-file.ts";
import type { Chunk, ChunkedContent } from "./chunked-content.ts";
import type { FileHash } from "./file-hash.ts";

/** What is known about a file that is not complete yet. */
export type PartialFile = {
  readonly url: string;
  /** ETag or date of the bytes downloaded so far. */
  readonly validator: string | null;
  readonly totalBytes: number | null;
  readonly chunkBytes: number;
};

/** A file that is complete in storage. */
export type WholeFile = {
  readonly sha256: string;
  /** ETag or date of this version. */
  readonly validator: string | null;
  readonly content: ChunkedContent;
  /** Its bytes, if it is one chunk that was downloaded now, so that they need not be read and verified again. */
  readonly bytes?: Uint8Array;
};

type WholeRecord = {
  readonly url: string;
  readonly sha256: string;
  readonly validator: string | null;
  readonly sizeBytes: number;
  readonly chunkBytes: number;
  readonly chunks: readonly string[];
};

const PARTIAL_NAME = "partial.json";
const WHOLE_NAME = "whole.json";
const CHUNK_NAME = /^(\d{6})-([0-9a-f]{64})$/;
/** Bytes hashed at once in JavaScript: 1 ms of a page's thread. */
const HASH_PIECE_BYTES = 256 * 1024;

/** A file that is complete in storage according to its record; chunks are verified when read. */
export async function findWholeFile(
  storage: FallbackStorage,
  key: string,
): Promise<WholeFile | null> {
  const record = await readJson<WholeRecord>(storage, key, WHOLE_NAME);
  if (record === null) return null;
  const { url, sizeBytes, chunkBytes } = record;
  const chunks = await Promise.all(
    record.chunks.map(async (hash, index): Promise<Chunk> => {
      const begin = index * chunkBytes;
      return {
        sha256: hash,
        sizeBytes: Math.min(chunkBytes, sizeBytes - begin),
        held: await storage.held(key, chunkName(index, hash)),
      };
    }),
  );
  return {
    sha256: record.sha256,
    validator: record.validator,
    content: { kind: "chunks", key, url, sizeBytes, chunkBytes, chunks },
  };
}

/** Stored bytes of a file, complete or not. */
export async function storedBytes(storage: FallbackStorage, key: string): Promise<number> {
  let sum = 0;
  for (const [name, size] of await storage.list(key)) if (CHUNK_NAME.test(name)) sum += size;
  return sum;
}

/** A file being written to storage. */
export class ChunkAssembly {
  readonly #storage: FallbackStorage;
  readonly #key: string;
  #chunkBytes: number;
  #partial: PartialFile | null = null;
  /** `null` while there is only the tail, which the browser hashes at once. */
  #hash: FileHash | null = null;
  #chunks: string[] = [];
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  /** The file and its hash, if it is one chunk. */
  #only: { readonly bytes: Uint8Array<ArrayBuffer>; readonly hash: string } | null = null;
  #writing: Promise<void> = Promise.resolve();

  private constructor(storage: FallbackStorage, key: string, chunkBytes: number) {
    this.#storage = storage;
    this.#key = key;
    this.#chunkBytes = chunkBytes;
  }

  /**
   * An assembly with the chunks that are stored and intact.
   * @param canContinue - whether these may be the beginning of the file to download.
   */
  static async open(
    storage: FallbackStorage,
    key: string,
    chunkBytes: number,
    canContinue: (partial: PartialFile) => boolean,
  ): Promise<ChunkAssembly> {
    const assembly = new ChunkAssembly(storage, key, chunkBytes);
    const partial = await readJson<PartialFile>(storage, key, PARTIAL_NAME);
    if (partial !== null && canContinue(partial)) await assembly.#resume(partial);
    // Otherwise chunks of another version could later pass for a beginning of this one.
    else await storage.remove(key);
    return assembly;
  }

  /** Bytes assembled so far. */
  get loadedBytes(): number {
    return this.#chunks.length * this.#chunkBytes + this.#tailBytes;
  }

  /** The bytes of a file that is one chunk, after `digest`. */
  get only(): Uint8Array | null {
    return this.#only?.bytes ?? null;
  }

  get partial(): PartialFile | null {
    return this.#partial;
  }

  /** Stores what is known about the file; called before its first bytes. */
  async describe(partial: Omit<PartialFile, "chunkBytes">): Promise<void> {
    const described = { ...partial, chunkBytes: this.#chunkBytes };
    if (JSON.stringify(described) === JSON.stringify(this.#partial)) return;
    this.#partial = described;
    await writeJson(this.#storage, this.#key, PARTIAL_NAME, described);
  }

  /** Adds the next bytes. Resolves when it can take more. */
  async add(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + this.#chunkBytes - this.#tailBytes);
      this.#hash?.update(part);
      this.#tail.push(part);
      this.#tailBytes += part.length;
      at += part.length;
      if (this.#tailBytes < this.#chunkBytes) continue;
      if (this.#hash === null) for (const held of this.#tail) await this.#addToHash(held);
      await this.#storeTail();
    }
  }

  /** Also stores the incomplete chunk, so that another page can resume at this byte. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#tailBytes === 0) return;
    const bytes = joined(this.#tail, this.#tailBytes);
    const name = chunkName(this.#chunks.length, await sha256(bytes));
    await this.#storage.write(this.#key, name, bytes);
  }

  /** Discards all bytes. */
  async restart(): Promise<void> {
    await this.#writing;
    await this.#storage.remove(this.#key);
    this.#partial = null;
    this.#hash = null;
    this.#chunks = [];
    this.#tail = [];
    this.#tailBytes = 0;
    this.#only = null;
  }

  /** Hex sha256 of all bytes; no more can be added. */
  async digest(): Promise<string> {
    if (this.#hash !== null) return this.#hash.digest();
    const bytes = joined(this.#tail, this.#tailBytes);
    this.#only = { bytes, hash: await sha256(bytes) };
    return this.#only.hash;
  }

  /** Writes the record that marks the file as complete, and deletes temporary data. */
  async finish(url: string, sha256OfFile: string): Promise<WholeFile> {
    const sizeBytes = this.loadedBytes;
    if (this.#tailBytes > 0) await this.#storeTail();
    await this.#writing;
    const record: WholeRecord = {
      url,
      sha256: sha256OfFile,
      validator: this.#partial?.validator ?? null,
      sizeBytes,
      chunkBytes: this.#chunkBytes,
      chunks: this.#chunks,
    };
    await writeJson(this.#storage, this.#key, WHOLE_NAME, record);
    const kept = new Set([WHOLE_NAME, ...this.#chunks.map((hash, i) => chunkName(i, hash))]);
    // The rest is only in this page's memory; the next page resumes with the stored chunks.
    if ((await this.#storage.held(this.#key, WHOLE_NAME)) !== null) kept.add(PARTIAL_NAME);
    for (const name of (await this.#storage.list(this.#key)).keys()) {
      if (!kept.has(name)) await this.#storage.remove(this.#key, name);
    }
    const whole = (await findWholeFile(this.#storage, this.#key)) as WholeFile;
    return this.#only === null ? whole : { ...whole, bytes: this.#only.bytes };
  }

  /** Runs one write at a time while the next chunk arrives. */
  async #storeTail(): Promise<void> {
    const bytes = this.#only?.bytes ?? joined(this.#tail, this.#tailBytes);
    const hash = this.#only?.hash ?? (await sha256(bytes));
    const name = chunkName(this.#chunks.length, hash);
    this.#chunks.push(hash);
    this.#tail = [];
    this.#tailBytes = 0;
    await this.#writing;
    this.#writing = this.#storage.write(this.#key, name, bytes);
  }

  async #resume(partial: PartialFile): Promise<void> {
    this.#partial = partial;
    this.#chunkBytes = partial.chunkBytes;
    const names = [...(await this.#storage.list(this.#key)).keys()];
    for (let index = 0; ; index++) {
      let longest: Uint8Array | null = null;
      for (const name of names) {
        const match = CHUNK_NAME.exec(name);
        if (match === null || Number(match[1]) !== index) continue;
        const bytes = await this.#intact(name, match[2] as string);
        if (bytes !== null && bytes.length > (longest?.length ?? 0)) longest = bytes;
      }
      if (longest === null) return;
      const isTail = longest.length < this.#chunkBytes;
      if (!isTail || this.#hash !== null) await this.#addToHash(longest);
      if (isTail) {
        this.#tail = [longest];
        this.#tailBytes = longest.length;
        return;
      }
      this.#chunks.push(await sha256(longest));
    }
  }

  async #addToHash(bytes: Uint8Array): Promise<void> {
    this.#hash ??= (await import("./file-hash.ts")).createFileHash();
    for (let at = 0; at < bytes.length; at += HASH_PIECE_BYTES) {
      this.#hash.update(bytes.subarray(at, at + HASH_PIECE_BYTES));
      await nextTask();
    }
  }

  async #intact(name: string, hash: string): Promise<Uint8Array | null> {
    const blob = await this.#storage.read(this.#key, name);
    const isPossible = blob !== null && blob.size > 0 && blob.size <= this.#chunkBytes;
    const bytes = isPossible ? await readBlob(blob).catch(() => null) : null;
    return bytes !== null && (await sha256(bytes)) === hash ? bytes : null;
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Lets the page draw. Uses a message, because timers are clamped to 4 ms. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** `null` if there is none or it is broken. */
export async function readJson<T>(
  storage: FallbackStorage,
  key: string,
  name: string,
): Promise<T | null> {
  const blob = await storage.read(key, name);
  if (blob === null) return null;
  try {
    return JSON.parse(new TextDecoder().decode(await readBlob(blob))) as T;
  } catch {
    return null;
  }
}

export async function writeJson(
  storage: FallbackStorage,
  key: string,
  name: string,
  value: unknown,
): Promise<void> {
  await storage.write(key, name, new TextEncoder().encode(JSON.stringify(value)));
}
