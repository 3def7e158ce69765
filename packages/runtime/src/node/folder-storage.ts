/** Stores chunks as files of a folder: the equivalent of the browser's file system for commands. */
import { openAsBlob } from "node:fs";
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChunkStorage } from "../store/chunk-storage.ts";

/** @param root - created when something is first stored. */
export function createFolderStorage(root: string): ChunkStorage {
  const namesOf = (path: string): Promise<string[]> => readdir(path).catch(() => []);
  return {
    isDurable: true,
    keys: () => namesOf(root),
    async list(key) {
      const sizes = new Map<string, number>();
      for (const name of await namesOf(join(root, key))) {
        if (!name.endsWith(".partial")) sizes.set(name, (await stat(join(root, key, name))).size);
      }
      return sizes;
    },
    async read(key, name) {
      try {
        return await openAsBlob(join(root, key, name)); // throws immediately if it does not exist
      } catch {
        return null;
      }
    },
    async write(key, name, bytes) {
      const path = join(root, key, name);
      await mkdir(join(root, key), { recursive: true });
      await writeFile(`${path}.partial`, bytes);
      await rename(`${path}.partial`, path);
    },
    remove: (key, name) => rm(join(root, key, name ?? ""), { recursive: true, force: true }),
    async freeBytes() {
      const { bavail, bsize } = await statfs(root).catch(() => ({ bavail: NaN, bsize: 1 }));
      return Number.isNaN(bavail) ? null : bavail * bsize;
    },
  };
}
