/**
 * The TrainEngine on TensorFlow.js: the WASM backend, or WebGPU through Dawn. The library computes
 * the gradients, so this is the slow reference for the ONNX engine's hand-derived ones. Parameters
 * and optimizer live in plain arrays and are uploaded after each step. Float32 throughout.
 */
import * as tf from "@tensorflow/tfjs";
import { selectDecoderWeights, valueHeadTensors } from "@waggle/model";
import type { Adapter, DecoderConfig, ValueHead } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  EngineCapabilities,
  EngineCheckpoint,
  OptimizerOptions,
  OptimizerResult,
  SharedBase,
  Tensor,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
} from "@waggle/protocol";
import { AdamW } from "../optimizer/adamw.ts";
import { emptyOutputs } from "../batch/empty-outputs.ts";
import {
  requireBatchSupport,
  requireDerivativeSupport,
  requireOptimizerSupport,
} from "../batch/batch-support.ts";
import {
  checkTakenKept,
  forEachAsked,
  isTakenKept,
  packMicrobatches,
} from "../batch/microbatch.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import { checkDerivatives } from "../batch/batch-checks.ts";
import { ModelTable } from "../decoder/model-table.ts";
import { onBackend, startBackend, type TfjsDevice } from "./tfjs-backend.ts";
import {
  candidateFactors,
  emptyCandidates,
  hasCandidateDerivative,
  scatterCandidates,
} from "./tfjs-candidates.ts";
import { tfjsStates, tfjsValues } from "./tfjs-decoder.ts";
import { detached } from "./tfjs-operations.ts";
import { OUTPUT_NAMES, type OutputTensors, tokenOutputs } from "./tfjs-token-outputs.ts";
import { read, upload } from "./tfjs-tensors.ts";
import { scatterValues, valueFactors } from "./tfjs-values.ts";
import { requireTrainable } from "../decoder/trainable-model.ts";
import { adapterParameters, mapTensors } from "../decoder/trained-weights.ts";
import { emptyValues, hasValueDerivative } from "../decoder/value-heads.ts";

const ROW_DERIVATIVES = ["logProb", "rawLogProb", "entropy"] as const;
type RowDerivative = (typeof ROW_DERIVATIVES)[number];

/** By position: `[N]`, for values `[N·H]`. */
type OutputFactors = {
  readonly [name in RowDerivative | "values" | "candidates"]: Float32Array;
} & {
  /** Whether values do not train the decoder. */
  readonly isDetached: boolean;
};

export type TfjsBaseOptions = {
  readonly config: DecoderConfig;
  /** By Hugging Face names; copied, never written to. */
  readonly weights: TensorMap;
  readonly device: TfjsDevice;
  /** Limit on the tokens of a microbatch, padding included; bounds memory. Default 1024. */
  readonly maxMicrobatchTokens?: number;
};

export type TfjsEngineOptions = TfjsBaseOptions & {
  readonly trains: "lora" | "full";
  /** Where training starts. Required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  /** Trainable heads that output `values`; copied. Without them, `values` are refused. */
  readonly valueHead?: ValueHead;
};

/** Tensors that no engine trains, and the label of the device that they are on. */
type FrozenWeights = { readonly label: string; readonly tensors: Map<string, tf.Tensor> };

/**
 * Loads the weights onto the device.
 * @throws WaggleError `CAPABILITY_MISSING` for a model type that cannot be trained, `MODEL_CORRUPT` on
 *   weights that do not match the config, `ADAPTER_INCOMPATIBLE` on an adapter for another decoder,
 *   `DEVICE_UNAVAILABLE` if the backend does not start, `INVALID_ARGUMENT` on contradictory options.
 */
export async function createTfjsEngine(options: TfjsEngineOptions): Promise<TrainEngine> {
  const { config, trains, adapter } = options;
  requireTrainable(config);
  const weights = selectDecoderWeights(config, options.weights);
  if ((trains === "lora") !== (adapter !== undefined)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      adapter
        ? 'trains "full" takes no adapter; leave it out, or set trains to "lora"'
        : 'trains "lora" needs an adapter; create a fresh one with initializeAdapter',
    );
  }
  const trained = trainedTensors(
    options,
    adapter ? adapterParameters(config, adapter) : mapTensors(weights, (data) => data.slice()),
  );
  const frozen = await loadFrozen(options, trains === "lora" ? weights : new Map());
  return new TfjsEngine(options, frozen, trained, async () => disposeOf(frozen));
}

/**
 * Loads frozen weights over which several adapters of any rank can be trained.
 * @throws WaggleError as `createTfjsEngine` does.
 */
export async function openTfjsBase(options: TfjsBaseOptions): Promise<SharedBase> {
  const { config, device } = options;
  requireTrainable(config);
  const frozen = await loadFrozen(options, selectDecoderWeights(config, options.weights));
  return new ModelTable({
    create: async ({ adapter, valueHead }, release) => {
      const model = {
        ...options,
        trains: "lora",
        adapter,
        ...(valueHead ? { valueHead } : {}),
      } as const;
      const trained = trainedTensors(model, adapterParameters(config, adapter));
      return new TfjsEngine(model, frozen, trained, release);
    },
    close: () => onBackend(device, async () => disposeOf(frozen)),
  });
}

async function loadFrozen({ device }: TfjsBaseOptions, weights: TensorMap): Promise<FrozenWeights> {
  const label = await startBackend(device);
  return { label, tensors: await onBackend(device, async () => upload(weights)) };
}

function disposeOf({ tensors }: FrozenWeights): void {
  tf.dispose([...tensors.values()]);
  tensors.clear();
}

/** Parameters of the decoder, then copies of those of value heads. */
function trainedTensors(
  { config, valueHead }: Pick<TfjsEngineOptions, "config" | "valueHead">,
  ofDecoder: TensorMap,
): TensorMap {
  const ofHeads = valueHead ? valueHeadTensors(valueHead, config) : new Map<string, Tensor>();
  return new Map([...ofDecoder, ...mapTensors(ofHeads, (data) => data.slice())]);
}

class TfjsEngine implements TrainEngine {
  readonly #config: DecoderConfig;
  readonly #device: TfjsDevice;
  readonly #capabilities: EngineCapabilities;
  readonly #maxTokens: number;
  readonly #loraScale: number | null;
  /** 0 without value heads. */
  readonly #valueHeads: number;
  /** Trained parameters; the optimizer writes into their data. */
  readonly #parameters: TensorMap;
  readonly #optimizer: AdamW;
  readonly #frozen: ReadonlyMap<string, tf.Tensor>;
  /** Called once, when the engine is disposed of. */
  readonly #release: () => Promise<void>;
  /** Copies of `#parameters` on the device; emptied after a change and refilled when needed. */
  #trained = new Map<string, tf.Tensor>();
  #gradients = new Map<string, Float32Array>();
  #isDisposed = false;

  constructor(
    { config, trains, adapter, valueHead, device, maxMicrobatchTokens }: TfjsEngineOptions,
    frozen: FrozenWeights,
    parameters: TensorMap,
    release: () => Promise<void>,
  ) {
    this.#config = config;
    this.#device = device;
    this.#capabilities = {
      outputs: [...OUTPUT_NAMES, "candidateLogProbs", ...(valueHead ? (["values"] as const) : [])],
      derivatives: [
        ...ROW_DERIVATIVES,
        "candidateLogProbs",
        ...(valueHead ? (["values"] as const) : []),
      ],
      ...(valueHead ? { valueHeads: valueHead.heads } : {}),
      sequences: ["temperatures", "keptTokenIds", "parents", "positions"],
      trains,
      reads: ["parameters", "gradients"],
      device: frozen.label,
    };
    this.#maxTokens = maxMicrobatchTokens ?? 1024;
    this.#loraScale = adapter ? adapter.alpha / adapter.rank : null;
    this.#valueHeads = valueHead?.heads ?? 0;
    this.#parameters = parameters;
    this.#optimizer = new AdamW(parameters);
    this.#frozen = frozen.tensors;
    this.#release = release;
  }

  capabilities(): EngineCapabilities {
    return this.#capabilities;
  }

  forward(batch: TrainBatch): Promise<TokenOutputs> {
    return this.#run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      const outputs = emptyOutputs(batch);
      const values = emptyValues(batch.sequences, this.#valueHeads);
      const wantsValues = batch.values === true;
      const candidates = emptyCandidates(batch.sequences);
      for (const microbatch of packMicrobatches(
        batch,
        this.#config,
        this.#maxTokens,
        () => true,
        () => wantsValues,
      )) {
        const tensors = tf.tidy(() => this.#outputs(microbatch));
        if (tensors.values !== undefined) {
          scatterValues(microbatch, this.#valueHeads, await read(tensors.values), values);
        }
        if (candidates !== null && tensors.candidates !== undefined) {
          scatterCandidates(microbatch, await read(tensors.candidates), candidates);
        }
        for (const name of OUTPUT_NAMES) {
          const ofName = await read(tensors[name]);
          forEachAsked(microbatch, ({ sequence, token }, k) => {
            (outputs[name][sequence] as Float32Array)[token] =
              name === "logProb" && !isTakenKept(microbatch, k)
                ? -Infinity
                : (ofName[microbatch.rows[k] as number] as number);
          });
        }
      }
      return {
        ...outputs,
        ...(candidates === null ? {} : { candidateLogProbs: candidates }),
        ...(wantsValues ? { values } : {}),
      };
    });
  }

  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void> {
    return this.#run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      requireDerivativeSupport(derivatives, this.#capabilities);
      checkDerivatives(batch, derivatives, this.#valueHeads);
      const { values, candidateLogProbs } = derivatives;
      const at = (name: RowDerivative, sequence: number, token: number): number =>
        derivatives[name]?.[sequence]?.[token] ?? 0;
      const microbatches = packMicrobatches(
        batch,
        this.#config,
        this.#maxTokens,
        (sequence, token) =>
          ROW_DERIVATIVES.some((name) => at(name, sequence, token) !== 0) ||
          hasCandidateDerivative(candidateLogProbs, sequence, token),
        (sequence, token) => hasValueDerivative(values, this.#valueHeads, { sequence, token }),
      );
      for (const microbatch of microbatches) checkTakenKept(microbatch, derivatives.logProb);
      for (const microbatch of microbatches) {
        const factors = (name: RowDerivative): Float32Array => {
          const array = new Float32Array(microbatch.ids.length);
          forEachAsked(microbatch, ({ sequence, token }, k) => {
            const row = microbatch.rows[k] as number;
            array[row] = (array[row] as number) + at(name, sequence, token);
          });
          return array;
        };
        await this.#accumulate(microbatch, {
          logProb: factors("logProb"),
          rawLogProb: factors("rawLogProb"),
          entropy: factors("entropy"),
          candidates: candidateFactors(microbatch, candidateLogProbs),
          values: valueFactors(microbatch, this.#valueHeads, values),
          isDetached: batch.valuesTrainDecoder === false,
        });
      }
    });
  }

  optimStep(options: OptimizerOptions): Promise<OptimizerResult> {
    return this.#run(async () => {
      requireOptimizerSupport(options, this.#capabilities);
      const gradients = this.#gradients;
      this.#gradients = new Map();
      const result = this.#optimizer.update(gradients, options);
      this.#dropUploads();
      return result;
    });
  }

  gradients(): Promise<TensorMap> {
    return this.#run(async () => {
      const gradients = new Map<string, Tensor>();
      for (const [name, { shape, data }] of this.#parameters) {
        const gradient = this.#gradients.get(name)?.slice() ?? new Float32Array(data.length);
        gradients.set(name, { shape, data: gradient });
      }
      return gradients;
    });
  }

  parameters(): Promise<TensorMap> {
    return this.#run(async () => mapTensors(this.#parameters, (data) => data.slice()));
  }

  save(): Promise<EngineCheckpoint> {
    return this.#run(async () => this.#optimizer.checkpoint());
  }

  load(checkpoint: EngineCheckpoint): Promise<void> {
    return this.#run(async () => {
      this.#optimizer.restore(checkpoint);
      this.#gradients = new Map();
      this.#dropUploads();
    });
  }

  dispose(): Promise<void> {
    if (this.#isDisposed) return Promise.resolve();
    return this.#run(async () => {
      this.#isDisposed = true;
      this.#dropUploads();
      await this.#release();
    });
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return onBackend(this.#device, () => {
      if (this.#isDisposed) {
        throw new WaggleError("DISPOSED", "the engine was called after dispose; create a new one");
      }
      return work();
    });
  }

  #outputs(
    microbatch: Microbatch,
    trained: ReadonlyMap<string, tf.Tensor> = this.#uploaded(),
    isDetached = false,
  ): OutputTensors & { readonly values?: tf.Tensor2D } {
    const parameters = { frozen: this.#frozen, trained, loraScale: this.#loraScale };
    const states = tfjsStates(this.#config, parameters, microbatch);
    const hidden = isDetached ? detached(states.hidden) : states.hidden;
    const outputs = tokenOutputs(states.logits, microbatch);
    return this.#valueHeads === 0
      ? outputs
      : { ...outputs, values: tfjsValues(parameters, hidden) };
  }

  /** Adds the gradients of Σ factor · output over the positions of one microbatch. */
  async #accumulate(microbatch: Microbatch, factors: OutputFactors): Promise<void> {
    const uploaded = this.#uploaded();
    const names = [...uploaded.keys()];
    const lossOf = (...tensors: tf.Tensor[]): tf.Scalar => {
      const trained = new Map(names.map((name, i) => [name, tensors[i] as tf.Tensor]));
      const { values, candidates, ...outputs } = this.#outputs(
        microbatch,
        trained,
        factors.isDetached,
      );
      const terms: tf.Tensor[] = ROW_DERIVATIVES.map((name) =>
        tf.sum(tf.mul(outputs[name], tf.tensor1d(factors[name]))),
      );
      if (candidates !== undefined) {
        terms.push(tf.sum(tf.mul(candidates, tf.tensor1d(factors.candidates))));
      }
      if (values !== undefined) {
        terms.push(tf.sum(tf.mul(values, tf.tensor2d(factors.values, values.shape))));
      }
      return tf.addN(terms) as tf.Scalar;
    };
    const gradients = tf.tidy(() => tf.grads(lossOf)([...uploaded.values()]));
    for (const [i, gradient] of gradients.entries()) {
      const name = names[i] as string;
      const values = await read(gradient);
      const sum = this.#gradients.get(name);
      if (sum === undefined) this.#gradients.set(name, values);
      else for (let j = 0; j < sum.length; j++) sum[j] = (sum[j] as number) + (values[j] as number);
    }
  }

  #uploaded(): ReadonlyMap<string, tf.Tensor> {
    if (this.#trained.size === 0) this.#trained = upload(this.#parameters);
    return this.#trained;
  }

  #dropUploads(): void {
    tf.dispose([...this.#trained.values()]);
    this.#trained = new Map();
  }
}
