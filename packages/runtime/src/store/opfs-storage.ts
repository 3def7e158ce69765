/**
 * Chunks in the browser's origin private file system. Not the Cache API: that stores responses as a
 * whole, so a broken download of several GB could not go on where it stopped.
 */
import { createFallbackStorage } from "./chunk-storage.ts";
import type { ChunkStorage, FallbackStorage } from "./chunk-storage.ts";

/** Folder in the origin's file system. The number changes with the layout. */
const FOLDER = "waggle-models-1";

/** Where an earlier version kept models, in the Cache API: visitors' disks still hold them. */
const OLD_CACHE = "waggle-objects-1";

let shared: Promise<FallbackStorage> | null = null;

/**
 * The storage of this browser in front of memory, one per thread: what is only in memory is found by
 * all loads of the thread.
 */
export function openBrowserStorage(): Promise<FallbackStorage> {
  if (shared === null) {
    shared = openOpfs().then(createFallbackStorage);
    // Nobody waits for it; where it cannot be deleted, a later visit tries again.
    void orNull(globalThis.caches?.delete(OLD_CACHE));
  }
  return shared;
}

/** `null` without secure context, in private windows that refuse, and outside browsers. */
async function openOpfs(): Promise<ChunkStorage | null> {
  try {
    const root = await navigator.storage.getDirectory();
    return createOpfsStorage(await root.getDirectoryHandle(FOLDER, { create: true }));
  } catch {
    return null;
  }
}

/** In a worker of a browser without `createWritable`; the types of windows do not have it. */
type SyncFileHandle = FileSystemFileHandle & {
  createSyncAccessHandle(): Promise<{
    truncate(size: number): void;
    write(bytes: Uint8Array, options: { at: number }): number;
    flush(): void;
    close(): void;
  }>;
};

/** Chunks as files of `directory`, one folder for a key. */
export function createOpfsStorage(directory: FileSystemDirectoryHandle): ChunkStorage {
  const folder = (key: string): Promise<FileSystemDirectoryHandle | null> =>
    orNull(directory.getDirectoryHandle(key));
  return {
    isDurable: true,
    async keys() {
      const keys: string[] = [];
      for await (const key of directory.keys()) keys.push(key);
      return keys;
    },
    async list(key) {
      const sizes = new Map<string, number>();
      const held = await folder(key);
      if (held === null) return sizes;
      for await (const [name, handle] of held.entries()) {
        // Chromium keeps `<name>.crswap` beside a file until it is closed.
        if (handle.kind !== "file" || name.endsWith(".crswap")) continue;
        const file = await orNull((handle as FileSystemFileHandle).getFile());
        if (file !== null) sizes.set(name, file.size);
      }
      return sizes;
    },
    async read(key, name) {
      const handle = await orNull((await folder(key))?.getFileHandle(name));
      return handle === null ? null : orNull(handle.getFile());
    },
    async write(key, name, bytes) {
      const held = await directory.getDirectoryHandle(key, { create: true });
      const handle = await held.getFileHandle(name, { create: true });
      try {
        await writeFile(handle, bytes);
      } catch (error) {
        await orNull(held.removeEntry(name)); // else an empty file would stay
        throw error;
      }
    },
    async remove(key, name) {
      if (name === undefined) await orNull(directory.removeEntry(key, { recursive: true }));
      else await orNull((await folder(key))?.removeEntry(name));
    },
    // Chromium does not tell: its answer stays the same under a smaller quota, so a write may fail
    // all the same.
    async freeBytes() {
      const { quota, usage } = await navigator.storage.estimate();
      return quota === undefined ? null : quota - (usage ?? 0);
    },
  };
}

async function writeFile(
  handle: FileSystemFileHandle,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<void> {
  // Safari before 26 has only the second, and only in workers.
  if ("createWritable" in handle) {
    const stream = await handle.createWritable();
    try {
      await stream.write(bytes);
      await stream.close();
    } catch (error) {
      await orNull(stream.abort());
      throw error;
    }
    return;
  }
  const access = await (handle as SyncFileHandle).createSyncAccessHandle();
  try {
    access.truncate(0);
    const written = access.write(bytes, { at: 0 });
    if (written !== bytes.length) throw new DOMException("short write", "QuotaExceededError");
    access.flush();
  } finally {
    access.close();
  }
}

/** What is not there, or is being written by somebody else, is nothing. */
async function orNull<T>(promise: Promise<T> | undefined): Promise<T | null> {
  try {
    return (await promise) ?? null;
  } catch {
    return null;
  }
}
