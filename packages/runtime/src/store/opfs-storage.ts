/**
 * Chunks in the browser's origin private file system. The Cache API only stores whole responses, so a
 * broken download of several GB could not be resumed.
 */
import { createFallbackStorage } from "./chunk-storage.ts";
import type { ChunkStorage, FallbackStorage } from "./chunk-storage.ts";

/** Folder in the origin's file system. The number changes with the layout. */
const FOLDER = "waggle-models-1";

/** Where an earlier version kept models in the Cache API. Visitors' disks may still have them. */
const OLD_CACHE = "waggle-objects-1";

let shared: Promise<FallbackStorage> | null = null;

/**
 * This browser's storage backed by memory, one per thread, so that all loads of the thread share
 * what is only in memory.
 */
export function openBrowserStorage(): Promise<FallbackStorage> {
  if (shared === null) {
    shared = openOpfs().then(createFallbackStorage);
    // Not awaited; if it cannot be deleted, a later visit tries again.
    void orNull(globalThis.caches?.delete(OLD_CACHE));
  }
  return shared;
}

/** `null` without a secure context, in private windows that refuse, and outside browsers. */
async function openOpfs(): Promise<ChunkStorage | null> {
  try {
    const root = await navigator.storage.getDirectory();
    return createOpfsStorage(await root.getDirectoryHandle(FOLDER, { create: true }));
  } catch {
    return null;
  }
}

/** In a worker of a browser without `createWritable`; missing in the DOM types of windows. */
type SyncFileHandle = FileSystemFileHandle & {
  createSyncAccessHandle(): Promise<{
    truncate(size: number): void;
    write(bytes: Uint8Array, options: { at: number }): number;
    flush(): void;
    close(): void;
  }>;
};

/** Chunks as files of `directory`, one folder per key. */
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
        // Chromium keeps `<name>.crswap` next to a file until it is closed.
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
        await orNull(held.removeEntry(name)); // otherwise an empty file would remain
        throw error;
      }
    },
    async remove(key, name) {
      if (name === undefined) await orNull(directory.removeEntry(key, { recursive: true }));
      else await orNull((await folder(key))?.removeEntry(name));
    },
    // Chromium reports the same under a smaller quota, so a write may still fail.
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
  // Safari before 26 only has the second way, and only in workers.
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

/** Resolves to null if the entry does not exist or is being written elsewhere. */
async function orNull<T>(promise: Promise<T> | undefined): Promise<T | null> {
  try {
    return (await promise) ?? null;
  } catch {
    return null;
  }
}
