/**
 * Checks whether models over one base, and their microbatches, fit into training's memory limit. It
 * only compares: the sizes come from the memory plan.
 */
import type { DecoderConfig, ResidentFormat } from "@waggle/model";
import { checkMemory, planMemory } from "./memory-plan.ts";
import type {
  Checkpointing,
  MemoryPlan,
  PlannedModel,
  Precision,
  Settable,
} from "./memory-plan.ts";
import { USUAL_LENGTH } from "../batch/microbatch.ts";
import type { Microbatch } from "../batch/microbatch.ts";

export type MemoryBudgetOptions = {
  readonly config: DecoderConfig;
  readonly trains: "lora" | "full";
  readonly base: ResidentFormat;
  readonly precision: Precision;
  readonly checkpointing: Checkpointing;
  readonly maxMicrobatchTokens: number;
  /** Options that the caller set, so that an error can name them. */
  readonly chosen: Omit<Settable, "sequences">;
  /** Bytes, for everything that the plan counts. */
  readonly limit: number;
};

/** Sequences of one microbatch and tokens of each. */
type Shape = { readonly sequences: number; readonly length: number };

/** The memory limit of one base, with the models that count against it. */
export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #models = new Set<PlannedModel>();
  /** Shapes of microbatches known to fit beside the current models: each is planned once. */
  readonly #fitting = new Set<string>();

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
  }

  /**
   * Assumes microbatches of the usual length, because the real ones are not known yet.
   * @throws WaggleError `OUT_OF_MEMORY` where one more model does not fit beside the others.
   */
  checkModel(model: PlannedModel): void {
    const { config, maxMicrobatchTokens } = this.#options;
    const length = Math.min(config.contextLength, USUAL_LENGTH);
    const sequences = Math.max(1, Math.floor(maxMicrobatchTokens / length));
    this.#check([...this.#models, model], { sequences, length }, false);
  }

  /** Counts a model from now on. */
  add(model: PlannedModel): void {
    this.#models.add(model);
    this.#fitting.clear();
  }

  remove(model: PlannedModel): void {
    this.#models.delete(model);
  }

  /**
   * Must be called before any of a batch runs. A forward pass is counted as the backward pass that
   * follows it.
   * @throws WaggleError `OUT_OF_MEMORY` where a microbatch does not fit beside the current models.
   */
  checkMicrobatches(microbatches: readonly Pick<Microbatch, "batch" | "length">[]): void {
    for (const { batch, length } of microbatches) {
      const shape = `${batch} × ${length}`;
      if (this.#fitting.has(shape)) continue;
      this.#check([...this.#models], { sequences: batch, length }, true);
      this.#fitting.add(shape);
    }
  }

  #check(models: readonly PlannedModel[], { sequences, length }: Shape, isOfBatch: boolean): void {
    const { chosen, limit } = this.#options;
    const plan = this.#plan(models, { sequences, length });
    checkMemory(plan, limit, { ...chosen, sequences: isOfBatch });
  }

  #plan(models: readonly PlannedModel[], shape: Shape): MemoryPlan {
    const { config, trains, base, precision, checkpointing } = this.#options;
    const [model = { rank: 0 }, ...otherModels] = models;
    return planMemory({
      config,
      trains,
      base,
      precision,
      checkpointing,
      ...model,
      otherModels,
      ...shape,
      maxMicrobatchTokens: shape.sequences * shape.length,
    });
  }
}
