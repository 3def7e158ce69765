/**
 * The TrainEngine on onnxruntime: forward and hand-derived backward pass as ONNX graphs on any of its
 * providers, AdamW in TypeScript. Float32 throughout. On the CPU the event loop is free between
 * microbatches, not during one.
 */
import { availableParallelism } from "node:os";
import { readResidentWeights, tensorMapSource } from "@waggle/model";
import type { Adapter, DecoderConfig, ResidentFormat, TensorSource } from "@waggle/model";
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
import { CallQueue } from "./call-queue.ts";
import { AdamW } from "./adamw.ts";
import { requireBatchSupport, requireDerivativeSupport } from "./batch-support.ts";
import type { DecoderRunner } from "./decoder-runner.ts";
import { LayerRunner } from "./layer-runner.ts";
import {
  activationBytesPerToken,
  checkMemory,
  chooseCheckpointing,
  planMemory,
} from "./memory-plan.ts";
import type { Checkpointing } from "./memory-plan.ts";
import { checkDerivatives, forEachAsked, packMicrobatches, USUAL_LENGTH } from "./microbatch.ts";
import type { Microbatch } from "./microbatch.ts";
import { chooseOnnxDevice } from "./onnx-device-choice.ts";
import { openOnnxDevice } from "./onnx-device.ts";
import type { OnnxDevice, OnnxProvider } from "./onnx-device.ts";
import { requireTrainable } from "./trainable-model.ts";
import { OnnxGraph } from "./onnx-graph.ts";
import {
  adapterParameters,
  createFullWeights,
  createLoraWeights,
  mapTensors,
} from "./trained-weights.ts";
import { WholeRunner } from "./whole-runner.ts";

export type OnnxEngineOptions = {
  readonly config: DecoderConfig;
  /** Hugging Face names; never written to. A source is read one tensor at a time. */
  readonly weights: TensorMap | TensorSource;
  readonly trains: "lora" | "full";
  /** Where training starts; required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Default `auto`: the fastest provider that starts, never a software GPU. */
  readonly device?: "auto" | OnnxProvider;
  /** Threads of one graph, default: all that the machine offers. */
  readonly threads?: number;
  /**
   * How the frozen matrices stay in memory with `lora`: quantized ones are a quarter (`int8`) or an
   * eighth (`int4`) of float32 and become numbers again layer by layer. Default `f32`.
   */
  readonly base?: ResidentFormat;
  /**
   * `none`: one graph of the whole model, which keeps all activations. `layer`: layer by layer, each
   * computed again for its gradient, logits in tiles. Default `auto`: `none` where 512 tokens fit
   * into 1 GB of activations, the base is in `f32` and the memory suffices.
   */
  readonly checkpointing?: Checkpointing | "auto";
  /** Bytes that training may take. Default: what the machine or its container has free. */
  readonly memoryLimit?: number;
  /**
   * Bound on the padded tokens of one microbatch, for memory; never changes results beyond
   * rounding. Default: what fits about 1 GB of activations, at most 1024, as more falls out of the
   * processor's caches (4096 was up to 40 % slower).
   */
  readonly maxMicrobatchTokens?: number;
  /** Most logits in memory at once with `layer`. Default 2 Mi. */
  readonly tileLogits?: number;
};

/**
 * Loads the weights and returns an engine that owns copies of them.
 * @throws WaggleError `CAPABILITY_MISSING` for a type of decoder that only runs, `MODEL_CORRUPT` on
 *   weights that do not fit the config,
 *   `ADAPTER_INCOMPATIBLE` on an adapter of another decoder, `DEVICE_UNAVAILABLE` where the device
 *   does not start, `INVALID_ARGUMENT` on options that contradict each other, `OUT_OF_MEMORY` where
 *   the plan takes more than there is.
 */
export async function createOnnxEngine(options: OnnxEngineOptions): Promise<TrainEngine> {
  const { config, trains, adapter, base = "f32", threads = availableParallelism() } = options;
  requireTrainable(config);
  if ((trains === "lora") !== (adapter !== undefined)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an adapter must be given with trains "lora" and only then, got trains "${trains}" ${adapter ? "with" : "without"} an adapter; use initializeAdapter for a fresh one`,
    );
  }
  if (base !== "f32" && (trains === "full" || options.checkpointing === "none")) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an ${base} base must be frozen and run layer by layer, got trains "${trains}", checkpointing "${options.checkpointing ?? "auto"}"; use lora with checkpointing "layer", or a base in f32`,
    );
  }
  if (!Number.isInteger(threads) || threads < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `threads must be a positive integer, got ${threads}; leave it out to use all`,
    );
  }
  const available = options.memoryLimit ?? process.availableMemory();
  const shape = { config, trains, rank: adapter?.rank ?? 0, base, memoryLimit: available };
  const checkpointing = chooseCheckpointing(options.checkpointing ?? "auto", shape);
  const maxTokens = options.maxMicrobatchTokens ?? defaultMicrobatchTokens(config, checkpointing);
  const length = Math.min(config.contextLength, USUAL_LENGTH);
  const plan = planMemory({
    ...shape,
    checkpointing,
    sequences: Math.max(1, Math.floor(maxTokens / length)),
    length,
    maxMicrobatchTokens: maxTokens,
  });
  // a frozen base in float32 is the caller's own, and in memory already
  const isShared = trains === "lora" && base === "f32" && !("tensors" in options.weights);
  const held = isShared && options.memoryLimit === undefined ? plan.parts.base : 0;
  checkMemory(plan, available + held);
  const { device: asked = "auto" } = options;
  const device =
    asked === "auto" ? await chooseOnnxDevice(threads) : await openOnnxDevice(asked, threads);
  const runner = await makeRunner(options, checkpointing, device);
  return new OnnxEngine(config, runner, { trains, device, maxTokens });
}

async function makeRunner(
  options: OnnxEngineOptions,
  checkpointing: Checkpointing,
  device: OnnxDevice,
): Promise<DecoderRunner> {
  const { config, adapter, weights, base = "f32", tileLogits } = options;
  const source = "tensors" in weights ? weights : tensorMapSource(weights);
  if (checkpointing === "none") {
    const tensors = (await readResidentWeights(config, source, "f32")) as TensorMap;
    const trained =
      adapter === undefined
        ? createFullWeights(tensors)
        : await createLoraWeights(config, tensors, adapter, device);
    return new WholeRunner(config, trained, device);
  }
  const resident = await readResidentWeights(config, source, base);
  return new LayerRunner({
    config,
    weights: adapter === undefined ? createFullWeights(resident as TensorMap).parameters : resident,
    adapter:
      adapter === undefined
        ? null
        : {
            rank: adapter.rank,
            alpha: adapter.alpha,
            parameters: adapterParameters(config, adapter),
          },
    load: (bytes) => OnnxGraph.create(bytes, device),
    savesNormScale: device.savesNormScale,
    ...(tileLogits === undefined ? {} : { tileLogits }),
  });
}

class OnnxEngine implements TrainEngine {
  readonly #config: DecoderConfig;
  readonly #runner: DecoderRunner;
  readonly #optimizer: AdamW;
  readonly #capabilities: EngineCapabilities;
  readonly #maxTokens: number;
  readonly #calls = new CallQueue();

  constructor(
    config: DecoderConfig,
    runner: DecoderRunner,
    options: {
      readonly trains: "lora" | "full";
      readonly device: OnnxDevice;
      readonly maxTokens: number;
    },
  ) {
    this.#config = config;
    this.#runner = runner;
    this.#optimizer = new AdamW(runner.parameters);
    this.#maxTokens = options.maxTokens;
    this.#capabilities = {
      outputs: ["logProb", "rawLogProb", "entropy", "sumSquaredProb", "candidateLogProbs"],
      derivatives: ["logProb", "rawLogProb", "entropy", "candidateLogProbs"],
      sequences: ["temperatures", "keptTokenIds", "parents", "positions"],
      trains: options.trains,
      reads: ["parameters", "gradients"],
      device: options.device.label,
    };
  }

  capabilities(): EngineCapabilities {
    return this.#capabilities;
  }

  forward(batch: TrainBatch): Promise<TokenOutputs> {
    return this.#calls.run(async () => {
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
      const candidateLogProbs = batch.sequences.map(({ tokenIds }) =>
        tokenIds.map((): Float32Array | null => null),
      );
      for (const microbatch of microbatches) {
        const rows = await this.#runner.forward(microbatch);
        forEachAsked(microbatch, ({ sequence, token }, row) => {
          for (const name of ["logProb", "rawLogProb", "entropy", "sumSquaredProb"] as const) {
            (outputs[name][sequence] as Float32Array)[token] = rows[name][row] as number;
          }
          if (!isTakenKept(microbatch, row)) {
            (outputs.logProb[sequence] as Float32Array)[token] = -Infinity;
          }
          const candidates = rows.candidateLogProbs?.[row]?.slice() ?? null;
          (candidateLogProbs[sequence] as (Float32Array | null)[])[token] = candidates;
        });
      }
      const asksCandidates = batch.sequences.some(
        ({ candidateTokenIds }) => candidateTokenIds !== undefined,
      );
      return asksCandidates ? { ...outputs, candidateLogProbs } : outputs;
    });
  }

  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void> {
    return this.#calls.run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      requireDerivativeSupport(derivatives, this.#capabilities);
      checkDerivatives(batch, derivatives);
      const { logProb, rawLogProb, entropy, candidateLogProbs } = derivatives;
      const at = (arrays: readonly Float32Array[] | undefined, sequence: number, token: number) =>
        arrays?.[sequence]?.[token] ?? 0;
      const microbatches = packMicrobatches(
        batch,
        this.#config,
        this.#maxTokens,
        (sequence, token) =>
          at(logProb, sequence, token) !== 0 ||
          at(rawLogProb, sequence, token) !== 0 ||
          at(entropy, sequence, token) !== 0 ||
          (candidateLogProbs?.[sequence]?.[token] ?? null) !== null,
      );
      for (const microbatch of microbatches) checkTakenKept(microbatch, logProb);
      for (const microbatch of microbatches) {
        const rows = (arrays: readonly Float32Array[] | undefined): Float32Array =>
          Float32Array.from(microbatch.asked, (askers) =>
            askers.reduce((sum, { sequence, token }) => sum + at(arrays, sequence, token), 0),
          );
        const candidates = microbatch.asked.map((askers) =>
          sumOf(askers.map(({ sequence, token }) => candidateLogProbs?.[sequence]?.[token])),
        );
        await this.#runner.backward(microbatch, {
          logProb: rows(logProb),
          rawLogProb: rows(rawLogProb),
          entropy: rows(entropy),
          candidateLogProbs: candidates.some((values) => values !== null) ? candidates : null,
        });
      }
    });
  }

  optimStep(options: OptimizerOptions): Promise<OptimizerResult> {
    return this.#calls.run(async () => {
      const gradients = await this.#runner.gradients();
      this.#runner.dropGradients();
      const result = this.#optimizer.update(gradients, options);
      await this.#runner.refresh();
      return result;
    });
  }

  gradients(): Promise<TensorMap> {
    return this.#calls.run(async () => {
      const gradients = await this.#runner.gradients();
      return mapTensors(
        this.#runner.parameters,
        (data, name) => gradients.get(name)?.slice() ?? new Float32Array(data.length),
      );
    });
  }

  parameters(): Promise<TensorMap> {
    return this.#calls.run(async () => mapTensors(this.#runner.parameters, (data) => data.slice()));
  }

  save(): Promise<EngineCheckpoint> {
    return this.#calls.run(async () => this.#optimizer.checkpoint());
  }

  load(checkpoint: EngineCheckpoint): Promise<void> {
    return this.#calls.run(async () => {
      this.#optimizer.restore(checkpoint);
      this.#runner.dropGradients();
      await this.#runner.refresh();
    });
  }

  dispose(): Promise<void> {
    return this.#calls.close(async () => {
      await this.#runner.dispose();
    });
  }
}

/** Element by element; null where there is nothing to add. */
function sumOf(arrays: readonly (Float32Array | null | undefined)[]): Float32Array | null {
  const [first, ...rest] = arrays.filter((array) => array !== null && array !== undefined);
  if (first === undefined) return null;
  return first.map((value, i) => rest.reduce((sum, array) => sum + (array[i] as number), value));
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
  forEachAsked(microbatch, ({ sequence, token }, row) => {
    if ((logProb?.[sequence]?.[token] ?? 0) === 0 || isTakenKept(microbatch, row)) return;
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a token with a logProb derivative must be in its kept set, got ${microbatch.targets[row]} at token ${token} of sequence ${sequence}; set its derivative to 0`,
    );
  });
}

/** As many as fit about 1 GB of activations. */
function defaultMicrobatchTokens(config: DecoderConfig, checkpointing: Checkpointing): number {
  const length = Math.min(config.contextLength, USUAL_LENGTH);
  const tokens = Math.floor(1e9 / activationBytesPerToken(config, checkpointing, length));
  return Math.min(1024, Math.max(128, tokens));
}
