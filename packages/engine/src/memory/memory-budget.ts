/**
 * Which models over one base, and which microbatches of theirs, fit into the memory that training may
 * take. Compares and refuses, measures nothing: what is compared comes from the plan.
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
  /** What the caller chose, so that a refusal may name it. */
  readonly chosen: Omit<Settable, "sequences">;
  /** In bytes, for everything that the plan counts. */
  readonly limit: number;
};

/** Sequences of one microbatch and tokens of each. */
type Shape = { readonly sequences: number; readonly length: number };

export class MemoryBudget {
  readonly #options: MemoryBudgetOptions;
  readonly #models = new Set<PlannedModel>();
  /** Shapes of microbatches that fit beside the models there are: each is planned once. */
  readonly #fitting = new Set<string>();

  constructor(options: MemoryBudgetOptions) {
    this.#options = options;
  }

  /**
   * With microbatches of the usual length: which will come is not known yet.
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
   * To be called before any of a batch runs; a forward pass is counted as the backward pass that
   * follows it.
   * @throws WaggleError `OUT_OF_MEMORY` where one does not fit beside the models there are.
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
