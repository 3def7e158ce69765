/**
 * A model whose files are at hand: in the browser's storage, in memory or in a folder of the
 * visitor's. Plain data, cheap to post to a worker, which reads the bytes itself, piece by piece.
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

/** Where the bytes of a file are. */
type FileContent = ChunkedContent | { readonly kind: "blob"; readonly blob: Blob };

/** `sizeBytes` and `sha256` are those of the content, as it was when it was loaded. */
export type LoadedFile = FileReference & { readonly content: FileContent };

export type LoadedModel = {
  /** Hex sha256 of the list of files: the model's identity on trajectories. */
  readonly baseModel: string;
  /** Where it came from, in words: `Qwen/Qwen3-0.6B@main`. */
  readonly source: string;
  /** False where something is only in memory, and gone with the page. */
  readonly isDurable: boolean;
  readonly files: readonly LoadedFile[];
  /** The number format that its matrices are stored in and run in; `null`: numbers, which run in any. */
  readonly storedFormat: WeightFormat | null;
};

export type OpenModelOptions = {
  /** Default: the browser's own, as seen from this thread. */
  readonly storage?: ChunkStorage;
  /** Gets damaged chunks again. Default: the global one. */
  readonly fetch?: Fetch;
  readonly signal?: AbortSignal;
} & Pick<ChunkedFileOptions, "refetchChunk">;

/** Reads the files of a model. Holds at most one chunk per file; nothing to dispose. */
export interface ModelReader {
  has(path: string): boolean;
  /** @throws WaggleError `MODEL_CORRUPT` where the model does not hold it. */
  file(path: string): ByteSource;
  /** A whole file, for those that are small. */
  bytes(path: string): Promise<Uint8Array>;
  /** @throws WaggleError `MODEL_CORRUPT` where weights are missing or broken. */
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
        `a model must hold ${path}, got ${[...files.keys()].join(", ").slice(0, 500)}; use a whole folder`,
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
