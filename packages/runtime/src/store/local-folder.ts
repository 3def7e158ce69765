/** A model folder that the visitor picked. Its files stay in place and are hashed once. */
import { selectModelFiles } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { readBlob } from "./blob-bytes.ts";
import { createFileHash } from "./file-hash.ts";
import type { LoadedFile } from "./loaded-model.ts";

/** Bytes read and hashed at once: 4 ms of a page's thread. */
const PIECE_BYTES = 1024 * 1024;

/** Opens the folder's files that make up the model. Reads only the index of shards. */
export async function openLocalFolder(
  folder: FileSystemDirectoryHandle | readonly File[],
): Promise<{ readonly path: string; readonly file: File }[]> {
  const files = isHandle(folder) ? await filesOfHandle(folder) : filesBesideConfig(folder);
  const paths = await selectModelFiles([...files.keys()], async (path) =>
    readBlob(await (files.get(path) as () => Promise<File>)()),
  );
  return Promise.all(
    paths.map(async (path) => ({ path, file: await (files.get(path) as () => Promise<File>)() })),
  );
}

/**
 * @param onRead - called with the number of bytes of each piece.
 * @throws WaggleError `STORAGE_UNAVAILABLE` for a file that changes meanwhile.
 */
export async function hashLocalFile(
  path: string,
  file: File,
  signal: AbortSignal | undefined,
  onRead: (bytes: number) => void,
): Promise<LoadedFile> {
  const hash = createFileHash();
  for (let at = 0; at < file.size; at += PIECE_BYTES) {
    signal?.throwIfAborted();
    const piece = await readBlob(file.slice(at, at + PIECE_BYTES));
    hash.update(piece);
    onRead(piece.length);
  }
  return {
    path,
    sha256: hash.digest(),
    sizeBytes: file.size,
    content: { kind: "blob", blob: file },
  };
}

async function filesOfHandle(
  folder: FileSystemDirectoryHandle,
): Promise<Map<string, () => Promise<File>>> {
  const files = new Map<string, () => Promise<File>>();
  try {
    for await (const [name, handle] of folder.entries()) {
      if (handle.kind === "file") {
        files.set(name, () => (handle as FileSystemFileHandle).getFile());
      }
    }
  } catch (cause) {
    throw new WaggleError(
      "STORAGE_UNAVAILABLE",
      `folder ${folder.name} cannot be read; ask the visitor to pick it again`,
      { cause },
    );
  }
  return files;
}

/**
 * An `<input webkitdirectory>` includes subfolders; only files next to the topmost config.json
 * count.
 */
function filesBesideConfig(picked: readonly File[]): Map<string, () => Promise<File>> {
  const placed = picked.map((file) => {
    const path = file.webkitRelativePath || file.name;
    const cut = path.lastIndexOf("/") + 1;
    return { folder: path.slice(0, cut), name: path.slice(cut), file };
  });
  const configs = placed.filter(({ name }) => name === "config.json");
  configs.sort((a, b) => a.folder.length - b.folder.length);
  const folder = configs[0]?.folder;
  return new Map(
    placed
      .filter((place) => folder === undefined || place.folder === folder)
      .map(({ name, file }) => [name, () => Promise.resolve(file)]),
  );
}

function isHandle(
  folder: FileSystemDirectoryHandle | readonly File[],
): folder is FileSystemDirectoryHandle {
  return !Array.isArray(folder);
}
