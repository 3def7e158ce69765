/**
 * Runs a decoder as one graph per pass: the fastest way for small models, whose activations all fit
 * into memory. Adds up the gradients, including those of single rows of embedding and logits
 * matrix.
 */
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { DecoderRunner, RowDerivatives, RowOutputs } from "../decoder/decoder-runner.ts";
import { GradientScale } from "../decoder/gradient-scale.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import type { TrainedWeights } from "../decoder/trained-weights.ts";
import { EMBEDDED_GRADIENT, EMBEDDING, FINAL_HIDDEN } from "../graphs/training-graph.ts";
import type { TrainingRunner } from "./training-runner.ts";

const NOT_WEIGHTS: ReadonlySet<string> = new Set([EMBEDDED_GRADIENT, FINAL_HIDDEN]);

export class WholeRunner implements DecoderRunner {
  readonly #config: DecoderConfig;
  readonly #trained: TrainedWeights;
  readonly #graphs: TrainingRunner;
  readonly #scale: GradientScale;
  /** Gradients of effective weights. */
  #gradients = new Map<string, Float32Array>();

  /** @param graphs output gradients of the effective weights; not disposed of here. */
  constructor(config: DecoderConfig, trained: TrainedWeights, graphs: TrainingRunner) {
    this.#config = config;
    this.#trained = trained;
    this.#graphs = graphs;
    this.#scale = new GradientScale(graphs.products);
  }

  get parameters(): TensorMap {
    return this.#trained.parameters;
  }

  async forward(microbatch: Microbatch): Promise<RowOutputs> {
    return this.#graphs.forward(await this.#trained.effective(), microbatch);
  }

  async backward(
    microbatch: Microbatch,
    derivatives: RowDerivatives,
  ): Promise<Float32Array | null> {
    const weights = await this.#trained.effective();
    const outputs = await this.#graphs.backward(weights, microbatch, derivatives, this.#scale);
    for (const [name, data] of outputs) {
      if (NOT_WEIGHTS.has(name)) continue;
      const sum = this.#gradients.get(name);
      if (sum === undefined) {
        this.#gradients.set(name, data);
      } else {
        for (let i = 0; i < data.length; i++) sum[i] = (sum[i] as number) + (data[i] as number);
      }
    }
    const embedded = outputs.get(EMBEDDED_GRADIENT);
    if (embedded !== undefined) this.#addRows(EMBEDDING, embedded, microbatch.ids);
    return outputs.get(FINAL_HIDDEN) ?? null;
  }

  gradients(): Promise<ReadonlyMap<string, Float32Array>> {
    return this.#trained.project(this.#gradients);
  }

  dropGradients(): void {
    this.#gradients = new Map();
    this.#scale.reset();
  }

  get overflows(): number {
    return this.#scale.overflows;
  }

  parametersChanged(): Promise<void> {
    return this.#trained.changed();
  }

  dispose(): Promise<void> {
    return this.#trained.dispose();
  }

  /**
   * Adds row i of `rows` to row `ids[i]` of a matrix gradient, in order, so that sums are
   * reproducible.
   */
  #addRows(name: string, rows: Float32Array, ids: Int32Array): void {
    const { width, vocabularySize } = this.#config;
    let sum = this.#gradients.get(name);
    if (sum === undefined) {
      sum = new Float32Array(vocabularySize * width);
      this.#gradients.set(name, sum);
    }
    for (let row = 0; row < ids.length; row++) {
      const from = row * width;
      const to = (ids[row] as number) * width;
      for (let i = 0; i < width; i++) {
        sum[to + i] = (sum[to + i] as number) + (rows[from + i] as number);
      }
    }
  }
}
