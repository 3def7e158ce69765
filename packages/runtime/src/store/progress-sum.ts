/** Sums the progress of one model's files. */

/** Loaded and total bytes of all files. */
export type ModelProgress = {
  readonly loadedBytes: number;
  /** `null` while the size of a file is unknown. Never less than `loadedBytes`. */
  readonly totalBytes: number | null;
  /** The file whose progress changed. */
  readonly path: string;
};

export class LoadProgressSum {
  readonly #onProgress: ((progress: ModelProgress) => void) | undefined;
  readonly #files = new Map<string, { loaded: number; total: number | null }>();

  constructor(onProgress: ((progress: ModelProgress) => void) | undefined) {
    this.#onProgress = onProgress;
  }

  /** Sets a file's size, if known, without calling `onProgress`. */
  total(path: string, bytes: number | null): void {
    const file = this.#files.get(path) ?? { loaded: 0, total: null };
    this.#files.set(path, { loaded: file.loaded, total: bytes ?? file.total });
  }

  /** Sets the loaded bytes of a file. They may decrease if the file starts again. */
  loaded(path: string, bytes: number): void {
    const total = this.#files.get(path)?.total ?? null;
    this.#files.set(path, { loaded: bytes, total });
    let loadedBytes = 0;
    let totalBytes: number | null = 0;
    for (const file of this.#files.values()) {
      loadedBytes += file.loaded;
      // A hint may be too small, such as the size of a compressed body.
      const most = file.total === null ? null : Math.max(file.total, file.loaded);
      totalBytes = totalBytes === null || most === null ? null : totalBytes + most;
    }
    this.#onProgress?.({ loadedBytes, totalBytes, path });
  }
}
