/**
 * The TrainEngine on onnxruntime-node: forward and hand-derived backward pass as ONNX graphs on the
 * native CPU provider, AdamW in TypeScript. Float32 throughout. The event loop is free between
 * microbatches, not during one.
 */
import { availableParallelism } from "node:os";
import { selectDecoderWeights } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  EngineCapabilities,
  EngineCheckpoint,
  OptimizerOptions,
  OptimizerResult,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
} from "@waggle/protocol";
import { AdamW } from "./adamw.ts";
import { requireBatchSupport, requireDerivativeSupport } from "./batch-support.ts";
import { checkDerivatives, packMicrobatches } from "./microbatch.ts";
import type { Microbatch } from "./microbatch.ts";
import { requireTrainable } from "./trainable-model.ts";
import { createFullWeights, createLoraWeights, mapTensors } from "./trained-weights.ts";
import type { TrainedWeights } from "./trained-weights.ts";
import { EMBEDDED_GRADIENT, EMBEDDING, headName, TAKEN_GRADIENT } from "./training-graph.ts";
import { TrainingRunner } from "./training-runner.ts";

export type OnnxEngineOptions = {
  readonly config: DecoderConfig;
  /** Hugging Face names; copied, never written to. */
  readonly weights: TensorMap;
  readonly trains: "lora" | "full";
  /** Where training starts; required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Threads of one graph, default: all that the machine offers. */
  readonly threads?: number;
  /**
   * Bound on the padded tokens of one microbatch, for memory; never changes results beyond
   * rounding. Default: what fits about 1 GB of activations, at most 1024, as more falls out of the
   * processor's caches (4096 was up to 40 % slower).
   */
  readonly maxMicrobatchTokens?: number;
  readonly device?: "cpu";
};

/**
 * Loads the weights and returns an engine that owns copies of them.
 * @throws WaggleError `CAPABILITY_MISSING` for a type of decoder that only runs, `MODEL_CORRUPT` on
 *   weights that do not fit the config,
 *   `ADAPTER_INCOMPATIBLE` on an adapter of another decoder, `INVALID_ARGUMENT` on options that
 *   contradict each other.
 */
export async function createOnnxEngine(options: OnnxEngineOptions): Promise<TrainEngine> {
  const { config, trains, adapter, threads = availableParallelism() } = options;
  requireTrainable(config);
  const weights = selectDecoderWeights(config, options.weights);
  if ((trains === "lora") !== (adapter !== undefined)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an adapter must be given with trains "lora" and only then, got trains "${trains}" ${adapter ? "with" : "without"} an adapter; use initializeAdapter for a fresh one`,
    );
  }
  if (!Number.isInteger(threads) || threads < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `threads must be a positive integer, got ${threads}; leave it out to use all`,
    );
  }
  const trained =
    adapter === undefined
      ? createFullWeights(weights)
      : await createLoraWeights(config, weights, adapter, threads);
  const maxTokens = options.maxMicrobatchTokens ?? defaultMicrobatchTokens(config);
  return new OnnxEngine(config, trained, { trains, threads, maxTokens });
}

class OnnxEngine implements TrainEngine {
  readonly #config: DecoderConfig;
  readonly #trained: TrainedWeights;
  readonly #runner: TrainingRunner;
  readonly #optimizer: AdamW;
  readonly #capabilities: EngineCapabilities;
  readonly #maxTokens: number;
  /** Accumulated gradients of effective weights. */
  #gradients = new Map<string, Float32Array>();
  /** Calls run one after the other, so that none sees half of another's work. */
  #last: Promise<unknown> = Promise.resolve();
  #isDisposed = false;

  constructor(
    config: DecoderConfig,
    trained: TrainedWeights,
    options: {
      readonly trains: "lora" | "full";
      readonly threads: number;
      readonly maxTokens: number;
    },
  ) {
    this.#config = config;
    this.#trained = trained;
    this.#runner = new TrainingRunner(config, trained.wanted, options.threads);
    this.#optimizer = new AdamW(trained.parameters);
    this.#maxTokens = options.maxTokens;
    this.#capabilities = {
      outputs: ["logProb", "rawLogProb", "entropy", "sumSquaredProb"],
      derivatives: ["logProb", "rawLogProb", "entropy"],
      sequences: ["temperatures", "keptTokenIds"],
      trains: options.trains,
      reads: ["parameters", "gradients"],
      device: `onnx native cpu x${options.threads}`,
    };
  }

  capabilities(): EngineCapabilities {
    return this.#capabilities;
  }

  forward(batch: TrainBatch): Promise<TokenOutputs> {
    return this.#inTurn(async () => {
      requireBatchSupport(batch, this.#capabilities);
      const microbatches = packMicrobatches(batch, this.#config, this.#maxTokens, () => true);
      const zeros = (): Float32Array[] =>
        batch.sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length));
      const outputs = {
        logProb: zeros(),
        rawLogProb: zeros(),
        entropy: zeros(),
        sumSquaredProb: zeros(),
      };
      for (const microbatch of microbatches) {
        const rows = await this.#runner.forward(this.#trained.effective, microbatch);
        microbatch.asked.forEach(({ sequence, token }, row) => {
          for (const name of ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const) {
            (outputs[name][sequence] as Float32Array)[token] = rows[name][row] as number;
          }
          if (!isTakenKept(microbatch, row)) {
            (outputs.logProb[sequence] as Float32Array)[token] = -Infinity;
          }
        });
      }
      return outputs;
    });
  }

  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void> {
    return this.#inTurn(async () => {
      requireBatchSupport(batch, this.#capabilities);
      requireDerivativeSupport(derivatives, this.#capabilities);
      checkDerivatives(batch, derivatives);
      const { logProb, rawLogProb, entropy } = derivatives;
      const at = (arrays: readonly Float32Array[] | undefined, sequence: number, token: number) =>
        arrays?.[sequence]?.[token] ?? 0;
      const microbatches = packMicrobatches(
        batch,
        this.#config,
        this.#maxTokens,
        (sequence, token) =>
          at(logProb, sequence, token) !== 0 ||
          at(rawLogProb, sequence, token) !== 0 ||
          at(entropy, sequence, token) !== 0,
      );
      for (const microbatch of microbatches) checkTakenKept(microbatch, logProb);
      for (const microbatch of microbatches) {
        const rows = (arrays: readonly Float32Array[] | undefined): Float32Array =>
          Float32Array.from(microbatch.asked, ({ sequence, token }) => at(arrays, sequence, token));
        const gradients = await this.#runner.backward(this.#trained.effective, microbatch, {
          logProb: rows(logProb),
          rawLogProb: rows(rawLogProb),
          entropy: rows(entropy),
        });
        this.#accumulate(gradients, microbatch);
      }
    });
  }

  optimStep(options: OptimizerOptions): Promise<OptimizerResult> {
    return this.#inTurn(async () => {
      const gradients = await this.#trained.project(this.#gradients);
      this.#gradients = new Map();
      const result = this.#optimizer.update(gradients, options);
      await this.#trained.refresh();
      return result;
    });
  }

  gradients(): Promise<TensorMap> {
    return this.#inTurn(async () => {
      const projected = await this.#trained.project(this.#gradients);
      return mapTensors(
        this.#trained.parameters,
        (data, name) => projected.get(name)?.slice() ?? new Float32Array(data.length),
      );
    });
  }

  parameters(): Promise<TensorMap> {
    return this.#inTurn(async () => mapTensors(this.#trained.parameters, (data) => data.slice()));
  }

  save(): Promise<EngineCheckpoint> {
    return this.#inTurn(async () => this.#optimizer.checkpoint());
  }

  load(checkpoint: EngineCheckpoint): Promise<void> {
    return this.#inTurn(async () => {
      this.#optimizer.restore(checkpoint);
      this.#gradients = new Map();
      await this.#trained.refresh();
    });
  }

  dispose(): Promise<void> {
    if (this.#isDisposed) return Promise.resolve();
    return this.#inTurn(async () => {
      this.#isDisposed = true;
      await this.#runner.dispose();
      await this.#trained.dispose();
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (this.#isDisposed) {
        throw new WaggleError(
          "DISPOSED",
          "an engine must not be used after dispose, got a call; create a new one",
        );
      }
      return work();
    });
    this.#last = result.catch(() => {});
    return result;
  }

  #accumulate(outputs: ReadonlyMap<string, Float32Array>, microbatch: Microbatch): void {
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

function isTakenKept({ keptTokenIds, targets }: Microbatch, row: number): boolean {
  const kept = keptTokenIds?.[row];
  return kept === undefined || kept === null || kept.includes(targets[row] as number);
}

/** log 0 has no gradient: a token outside of its kept set must not be learned from. */
function checkTakenKept(
  microbatch: Microbatch,
  logProb: readonly Float32Array[] | undefined,
): void {
  microbatch.asked.forEach(({ sequence, token }, row) => {
    if ((logProb?.[sequence]?.[token] ?? 0) === 0 || isTakenKept(microbatch, row)) return;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a token with a logProb derivative must be in its kept set, got ${microbatch.targets[row]} at token ${token} of sequence ${sequence}; set its derivative to 0`,
    );
  });
}

/** Activations kept for the backward pass are dominated by scores, feed-forward and logits. */
function defaultMicrobatchTokens(config: DecoderConfig): number {
  const typicalLength = Math.min(config.contextLength, 512);
  const floatsPerToken =
    config.layers *
      (16 * config.width + 8 * config.feedForwardSize + 3 * config.heads * typicalLength) +
    5 * config.vocabularySize;
  const tokens = Math.floor(1e9 / (4 * floatsPerToken));
  return Math.min(1024, Math.max(128, tokens));
}
