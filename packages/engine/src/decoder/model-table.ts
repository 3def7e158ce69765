/** Models over one base by the ids that the caller gave them. It holds engines and trains nothing. */
import { WaggleError } from "@waggle/protocol";
import type { ModelStart, SharedBase, TrainEngine } from "@waggle/protocol";

export type ModelTableOptions = {
  /** @param release to be called when the engine is disposed of. */
  readonly create: (start: ModelStart, release: () => Promise<void>) => Promise<TrainEngine>;
  /** Gives the base back; no engine is left then. */
  readonly close: () => Promise<void>;
};

export class ModelTable implements SharedBase {
  readonly #options: ModelTableOptions;
  readonly #models = new Map<string, TrainEngine>();
  /** Ids of models that are being created. */
  readonly #coming = new Map<string, Promise<TrainEngine>>();
  #closing: Promise<void> | null = null;

  constructor(options: ModelTableOptions) {
    this.#options = options;
  }

  async createModel(modelId: string, start: ModelStart): Promise<TrainEngine> {
    if (this.#closing !== null) {
      throw new WaggleError(
        "DISPOSED",
        "a base must not be used after dispose, got createModel; open a new one",
      );
    }
    if (this.#models.has(modelId) || this.#coming.has(modelId)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a model's id must be free, got "${modelId.slice(0, 200)}", which is taken; unload that model or choose another id`,
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
      `a model must have been created, got "${modelId.slice(0, 200)}" among ${this.#models.size} models; createModel it first`,
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
