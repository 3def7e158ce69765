/** How far the files of one model are, summed. */

/** Bytes of all files that are here, out of all there are. */
export type ModelProgress = {
  readonly loadedBytes: number;
  /** `null` while the size of a file is not known. Never less than `loadedBytes`. */
  readonly totalBytes: number | null;
  /** The file that moved. */
  readonly path: string;
};

export class LoadProgressSum {
  readonly #onProgress: ((progress: ModelProgress) => void) | undefined;
  readonly #files = new Map<string, { loaded: number; total: number | null }>();

  constructor(onProgress: ((progress: ModelProgress) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  /** Notes a file and its size, as far as it is known; without a call of `onProgress`. */
  total(path: string, bytes: number | null): void {
    const file = this.#files.get(path) ?? { loaded: 0, total: null };
    this.#files.set(path, { loaded: file.loaded, total: bytes ?? file.total });
  }

  /** Notes how much of a file is here. It may go back where the file starts again. */
  loaded(path: string, bytes: number): void {
    const total = this.#files.get(path)?.total ?? null;
    this.#files.set(path, { loaded: bytes, total });
    let loadedBytes = 0;
    let totalBytes: number | null = 0;
    for (const file of this.#files.values()) {
      loadedBytes += file.loaded;
      // A hint may be too small: the size of a compressed body.
      const most = file.total === null ? null : Math.max(file.total, file.loaded);
      totalBytes = totalBytes === null || most === null ? null : totalBytes + most;
    }
    this.#onProgress?.({ loadedBytes, totalBytes, path });
  }
}
