/**
 * Storage of chunks of files: named byte strings under keys. If durable storage fails or is full,
 * chunks stay in memory, so that a load never fails because of it.
 */

/** A storage of chunks. Names and keys consist of letters, digits, dots and dashes. */
export interface ChunkStorage {
  /** False once something is only in memory. */
  readonly isDurable: boolean;
  keys(): Promise<string[]>;
  /** Sizes by name. Empty if nothing is stored. */
  list(key: string): Promise<Map<string, number>>;
  /** `null` if it is not stored. The Blob reads lazily. */
  read(key: string, name: string): Promise<Blob | null>;
  /**
   * Writes all bytes or none; where the browser cannot guarantee that, the reader's hash check
   * detects incomplete data.
   */
  write(key: string, name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Removes one name, or all of a key. Missing ones are not an error. */
  remove(key: string, name?: string): Promise<void>;
  /** Free space; `null` if unknown. */
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

/** A storage backed by memory. */
export interface FallbackStorage extends ChunkStorage {
  /** The Blob of a name that is only in memory, otherwise `null`. */
  held(key: string, name: string): Promise<Blob | null>;
  /** Announces upcoming bytes. If they do not fit, they go to memory from the start. */
  announce(sizeBytes: number): Promise<void>;
}

/** Browsers round the free space they report, and other pages write meanwhile. */
const SPARE_BYTES = 16 * 1024 * 1024;

/** @param durable - `null` if the browser gives the page no storage. */
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
        // Over quota, or refused by the browser: this page works, and the next one downloads again.
        // Further attempts would each cost a write to a full disk.
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

  /** Storage that cannot be read counts as empty. */
  async #attempt<T>(use: (durable: ChunkStorage) => Promise<T>, otherwise: T): Promise<T> {
    if (this.#durable === null) return otherwise;
    return use(this.#durable).catch(() => otherwise);
  }
}
