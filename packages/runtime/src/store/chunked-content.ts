/** A file in chunks, as plain data: where its bytes are, and their hashes. */

/** One chunk of a file. */
export type Chunk = {
  /** Hex. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** Its bytes, if they are only in memory. */
  readonly held: Blob | null;
};

/** Chunks of a file in a storage. Plain data: the thread that reads opens the storage itself. */
export type ChunkedContent = {
  readonly kind: "chunks";
  readonly key: string;
  /** Where damaged chunks are fetched from. */
  readonly url: string;
  readonly sizeBytes: number;
  /** Size of every chunk but the last. */
  readonly chunkBytes: number;
  readonly chunks: readonly Chunk[];
};
