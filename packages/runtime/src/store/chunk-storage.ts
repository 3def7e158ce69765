/**
 * Where chunks of files are kept: named byte strings under keys. Knows no file format, no network.
 * A durable storage that fails or is full never fails a load: what it refuses stays in memory.
 */

/** One place for chunks. Names and keys hold letters, digits, dots and dashes. */
export interface ChunkStorage {
  /** False once something is only in memory. */
  readonly isDurable: boolean;
  keys(): Promise<string[]>;
  /** Sizes by name. Empty where nothing is stored. */
  list(key: string): Promise<Map<string, number>>;
  /** `null` where it is not stored. The Blob reads lazily. */
  read(key: string, name: string): Promise<Blob | null>;
  /**
   * All of it or nothing is there afterwards; where the browser cannot promise that, the reader's
   * hash check finds out.
   */
  write(key: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** One name, or all of a key. What is not there is no error. */
  remove(key: string, name?: string): Promise<void>;
  /** How much more fits; `null` where nobody knows. */
  freeBytes(): Promise<number | null>;
}

/** Keeps everything in memory. */
export function createMemoryStorage(): ChunkStorage {
  const chunks = new Map<string, Map<string, Blob>>();
  return {
    isDurable: false,
    keys: async () => [...chunks.keys()],
    list: async (key) =>
      new Map(Array.from(chunks.get(key) ?? [], ([name, blob]) => [name, blob.size])),
    read: async (key, name) => chunks.get(key)?.get(name) ?? null,
    write: async (key, name, bytes) => {
      const held = chunks.get(key) ?? new Map<string, Blob>();
      chunks.set(key, held.set(name, new Blob([bytes])));
    },
    remove: async (key, name) => {
      if (name === undefined) chunks.delete(key);
      else chunks.get(key)?.delete(name);
    },
    freeBytes: async () => null,
  };
}

/** A storage in front of memory. */
export interface FallbackStorage extends ChunkStorage {
  /** The Blob of a name that is only in memory, else `null`. */
  held(key: string, name: string): Promise<Blob | null>;
  /** Says how much is about to come. What does not fit goes to memory from the start. */
  announce(sizeBytes: number): Promise<void>;
}

/** Browsers round what they say about free space, and others store meanwhile. */
const SPARE_BYTES = 16 * 1024 * 1024;

/** @param durable - `null` where the browser gives a page no storage. */
export function createFallbackStorage(durable: ChunkStorage | null): FallbackStorage {
  return new MemoryBacked(durable);
}

class MemoryBacked implements FallbackStorage {
  readonly #durable: ChunkStorage | null;
  readonly #memory = createMemoryStorage();
  #isDurable: boolean;
  #isFull = false;

  constructor(durable: ChunkStorage | null) {
    this.#durable = durable;
    this.#isDurable = durable !== null;
  }

  get isDurable(): boolean {
    return this.#isDurable;
  }

  async keys(): Promise<string[]> {
    const stored = await this.#attempt((durable) => durable.keys(), []);
    return [...new Set([...stored, ...(await this.#memory.keys())])];
  }

  async list(key: string): Promise<Map<string, number>> {
    const stored = await this.#attempt((durable) => durable.list(key), new Map<string, number>());
    return new Map([...stored, ...(await this.#memory.list(key))]);
  }

  async read(key: string, name: string): Promise<Blob | null> {
    const held = await this.#memory.read(key, name);
    return held ?? this.#attempt((durable) => durable.read(key, name), null);
  }

  async write(key: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (this.#durable !== null && !this.#isFull) {
      try {
        return await this.#durable.write(key, name, bytes);
      } catch {
        // Over quota, or refused by the browser: the page works, the next one loads again. Each
        // further attempt would cost a write to a full disk.
        this.#isFull = true;
      }
    }
    this.#isDurable = false;
    await this.#memory.write(key, name, bytes);
  }

  async remove(key: string, name?: string): Promise<void> {
    await this.#memory.remove(key, name);
    await this.#attempt((durable) => durable.remove(key, name), undefined);
    this.#isFull = false;
  }

  async freeBytes(): Promise<number | null> {
    return this.#attempt((durable) => durable.freeBytes(), null);
  }

  held(key: string, name: string): Promise<Blob | null> {
    return this.#memory.read(key, name);
  }

  async announce(sizeBytes: number): Promise<void> {
    const free = await this.freeBytes();
    if (free !== null && free < sizeBytes + SPARE_BYTES) this.#isFull = true;
  }

  /** Storage that cannot be read holds nothing. */
  async #attempt<T>(use: (durable: ChunkStorage) => Promise<T>, otherwise: T): Promise<T> {
    if (this.#durable === null) return otherwise;
    return use(this.#durable).catch(() => otherwise);
  }
}
