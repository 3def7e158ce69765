/**
 * Runs a decoder as one graph per pass: the fastest for small models, whose activations all fit into
 * memory. Adds up what the graphs give, the rows of embedding and logits matrix among it.
 */
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import type { DecoderRunner, RowDerivatives, RowOutputs } from "./decoder-runner.ts";
import type { Microbatch } from "./microbatch.ts";
import type { OnnxDevice } from "./onnx-device.ts";
import type { TrainedWeights } from "./trained-weights.ts";
import { EMBEDDED_GRADIENT, EMBEDDING, headName, TAKEN_GRADIENT } from "./training-graph.ts";
import { TrainingRunner } from "./training-runner.ts";

export class WholeRunner implements DecoderRunner {
  readonly #config: DecoderConfig;
  readonly #trained: TrainedWeights;
  readonly #graphs: TrainingRunner;
  /** Of effective weights. */
  #gradients = new Map<string, Float32Array>();

  constructor(config: DecoderConfig, trained: TrainedWeights, device: OnnxDevice) {
    this.#config = config;
    this.#trained = trained;
    this.#graphs = new TrainingRunner(config, trained.wanted, device);
  }

  get parameters(): TensorMap {
    return this.#trained.parameters;
  }

  forward(microbatch: Microbatch): Promise<RowOutputs> {
    return this.#graphs.forward(this.#trained.effective, microbatch);
  }

  async backward(microbatch: Microbatch, derivatives: RowDerivatives): Promise<void> {
    const outputs = await this.#graphs.backward(this.#trained.effective, microbatch, derivatives);
    for (const [name, data] of outputs) {
      if (name === EMBEDDED_GRADIENT || name === TAKEN_GRADIENT) continue;
      const sum = this.#gradients.get(name);
      if (sum === undefined) {
        this.#gradients.set(name, data);
      } else {
        for (let i = 0; i < data.length; i++) sum[i] = (sum[i] as number) + (data[i] as number);
      }
    }
    const embedded = outputs.get(EMBEDDED_GRADIENT);
    if (embedded !== undefined) this.#addRows(EMBEDDING, embedded, microbatch.ids);
    const taken = outputs.get(TAKEN_GRADIENT);
    if (taken !== undefined) this.#addRows(headName(this.#config), taken, microbatch.targets);
  }

  gradients(): Promise<ReadonlyMap<string, Float32Array>> {
    return this.#trained.project(this.#gradients);
  }

  dropGradients(): void {
    this.#gradients = new Map();
  }

  refresh(): Promise<void> {
    return this.#trained.refresh();
  }

  async dispose(): Promise<void> {
    await this.#graphs.dispose();
    await this.#trained.dispose();
  }

  /** Adds row i of `rows` to row `ids[i]` of a matrix' gradient, in order and so repeatably. */
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
