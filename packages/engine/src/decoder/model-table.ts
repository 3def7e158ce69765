/** The models over one base, by the ids that the caller chose. */
import { WaggleError } from "@waggle/protocol";
import type { ModelStart, SharedBase, TrainEngine } from "@waggle/protocol";

export type ModelTableOptions = {
  /** @param release to be called when the engine is disposed of. */
  readonly create: (start: ModelStart, release: () => Promise<void>) => Promise<TrainEngine>;
  /** Releases the base, once all engines are disposed of. */
  readonly close: () => Promise<void>;
};

/** A `SharedBase` that creates engines on demand and keeps track of them. */
export class ModelTable implements SharedBase {
  readonly #options: ModelTableOptions;
  readonly #models = new Map<string, TrainEngine>();
  /** Models that are being created, by id. */
  readonly #coming = new Map<string, Promise<TrainEngine>>();
  #closing: Promise<void> | null = null;

  constructor(options: ModelTableOptions) {
    this.#options = options;
  }

  async createModel(modelId: string, start: ModelStart): Promise<TrainEngine> {
    if (this.#closing !== null) {
      throw new WaggleError(
        "DISPOSED",
        "createModel was called after dispose of the base; open a new one",
      );
    }
    if (this.#models.has(modelId) || this.#coming.has(modelId)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `there is already a model "${modelId.slice(0, 200)}"; unload it or choose another id`,
      );
    }
    const coming = this.#options.create(start, async () => void this.#models.delete(modelId));
    this.#coming.set(modelId, coming);
    try {
      const engine = await coming;
      this.#models.set(modelId, engine);
      return engine;
    } finally {
      this.#coming.delete(modelId);
    }
  }

  model(modelId: string): TrainEngine {
    const engine = this.#models.get(modelId);
    if (engine !== undefined) return engine;
    throw new WaggleError(
      "NOT_FOUND",
      `no model "${modelId.slice(0, 200)}" among ${this.#models.size} models; call createModel first`,
    );
  }

  modelIds(): string[] {
    return [...this.#models.keys()];
  }

  async unloadModel(modelId: string): Promise<void> {
    await this.model(modelId).dispose();
  }

  dispose(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await Promise.allSettled(this.#coming.values());
    for (const engine of this.#models.values()) await engine.dispose();
    await this.#options.close();
  }
}
