/**
 * A model whose files are available: in the browser's storage, in memory or in a visitor's folder.
 * Plain data, cheap to post to a worker, which reads the bytes itself, piece by piece.
 */
import { openModelWeights } from "@waggle/model";
import type { ByteSource, TensorSource, WeightFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type { FileReference } from "@waggle/protocol";
import { openBlob } from "./blob-bytes.ts";
import type { ChunkStorage } from "./chunk-storage.ts";
import { openChunkedFile } from "./chunked-file.ts";
import type { ChunkedFileOptions } from "./chunked-file.ts";
import type { ChunkedContent } from "./chunked-content.ts";
import { openBrowserStorage } from "./opfs-storage.ts";
import type { Fetch } from "./remote-bytes.ts";

/** Location of a file's bytes. */
type FileContent = ChunkedContent | { readonly kind: "blob"; readonly blob: Blob };

/** `sizeBytes` and `sha256` describe the content at loading time. */
export type LoadedFile = FileReference & { readonly content: FileContent };

/** A model whose files are available in this browser. */
export type LoadedModel = {
  /** Hex sha256 of the list of files: the model's identity on trajectories. */
  readonly baseModel: string;
  /** Readable name of the source, such as `Qwen/Qwen3-0.6B@main`. */
  readonly source: string;
  /** False if something is only in memory, and so lost with the page. */
  readonly isDurable: boolean;
  readonly files: readonly LoadedFile[];
  /** The format in which its matrices are stored and run; `null`: plain numbers, which run in any. */
  readonly storedFormat: WeightFormat | null;
};

/** Options of `openModel`. */
export type OpenModelOptions = {
  /** Default: the browser's own, on this thread. */
  readonly storage?: ChunkStorage;
  /** Used to fetch damaged chunks again. Default: the global one. */
  readonly fetch?: Fetch;
  readonly signal?: AbortSignal;
} & Pick<ChunkedFileOptions, "refetchChunk">;

/** Reads the files of a model. Holds at most one chunk per file and need not be disposed of. */
export interface ModelReader {
  has(path: string): boolean;
  /** @throws WaggleError `MODEL_CORRUPT` if the model does not have it. */
  file(path: string): ByteSource;
  /** A whole file, for small ones. */
  bytes(path: string): Promise<Uint8Array>;
  /** @throws WaggleError `MODEL_CORRUPT` if weights are missing or broken. */
  weights(): Promise<TensorSource>;
}

/** Opens a model's files on the thread that reads them. */
export async function openModel(
  model: { readonly files: readonly Pick<LoadedFile, "path" | "content">[] },
  options: OpenModelOptions = {},
): Promise<ModelReader> {
  const storage = options.storage ?? (await openBrowserStorage());
  const files = new Map(model.files.map((file) => [file.path, file]));
  const file = (path: string): ByteSource => {
    const found = files.get(path);
    if (found === undefined) {
      throw new WaggleError(
        "MODEL_CORRUPT",
        `the model has no ${path}, only ${[...files.keys()].join(", ").slice(0, 500)}; use a whole folder`,
      );
    }
    return found.content.kind === "blob"
      ? openBlob(found.content.blob)
      : openChunkedFile(found.content, { ...options, storage });
  };
  const bytes = (path: string): Promise<Uint8Array> => {
    const source = file(path);
    return source.read(0, source.sizeBytes);
  };
  return {
    has: (path) => files.has(path),
    file,
    bytes,
    weights: () => openModelWeights((path) => files.has(path), file),
  };
}
