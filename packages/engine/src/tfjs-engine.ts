/**
 * The TrainEngine on TensorFlow.js: the WASM backend, or WebGPU through Dawn. Gradients are the
 * library's own, so it is the slow reference of the ONNX engine's hand-derived ones. Parameters and
 * optimizer live in plain arrays and are uploaded after each step. Float32 throughout.
 */
import * as tf from "@tensorflow/tfjs";
import { loraParameters, selectDecoderWeights } from "@waggle/model";
import type { Adapter, DecoderConfig } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import type {
  EngineCapabilities,
  EngineCheckpoint,
  OptimizerOptions,
  OptimizerResult,
  Tensor,
  TensorMap,
  TokenDerivatives,
  TokenOutputs,
  TrainBatch,
  TrainEngine,
} from "@waggle/protocol";
import { AdamW } from "./adamw.ts";
import { requireBatchSupport, requireDerivativeSupport } from "./batch-support.ts";
import { checkDerivatives, forEachAsked, packMicrobatches } from "./microbatch.ts";
import type { Microbatch } from "./microbatch.ts";
import { onBackend, startBackend } from "./tfjs-backend.ts";
import type { TfjsDevice } from "./tfjs-backend.ts";
import { tfjsLogits } from "./tfjs-decoder.ts";
import { OUTPUT_NAMES, tokenOutputs } from "./tfjs-token-outputs.ts";
import { requireTrainable } from "./trainable-model.ts";

const ROW_DERIVATIVES = ["logProb", "rawLogProb", "entropy"] as const;
type RowDerivative = (typeof ROW_DERIVATIVES)[number];

export type TfjsEngineOptions = {
  readonly config: DecoderConfig;
  /** Hugging Face names; copied, never written to. */
  readonly weights: TensorMap;
  readonly trains: "lora" | "full";
  /** Where training starts; required with `lora`, refused with `full`. */
  readonly adapter?: Adapter;
  readonly device: TfjsDevice;
  /** Bound on the padded tokens of one microbatch, for memory. Default 1024. */
  readonly maxMicrobatchTokens?: number;
};

/**
 * Loads the weights onto the device.
 * @throws WaggleError `CAPABILITY_MISSING` for a type of decoder that only runs, `MODEL_CORRUPT` on
 *   weights that do not fit the config,
 *   `ADAPTER_INCOMPATIBLE` on an adapter of another decoder, `DEVICE_UNAVAILABLE` where the backend
 *   does not start, `INVALID_ARGUMENT` on options that contradict each other.
 */
export async function createTfjsEngine(options: TfjsEngineOptions): Promise<TrainEngine> {
  const { config, trains, adapter, device } = options;
  requireTrainable(config);
  const weights = selectDecoderWeights(config, options.weights);
  if ((trains === "lora") !== (adapter !== undefined)) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `an adapter must be given with trains "lora" and only then, got trains "${trains}" ${adapter ? "with" : "without"} an adapter; use initializeAdapter for a fresh one`,
    );
  }
  const trained = copyTensors(adapter ? adapterTensors(config, adapter) : weights);
  const label = await startBackend(device);
  const frozen = adapter
    ? await onBackend(device, async () => upload(weights))
    : new Map<string, tf.Tensor>();
  return new TfjsEngine(options, label, trained, frozen);
}

class TfjsEngine implements TrainEngine {
  readonly #config: DecoderConfig;
  readonly #device: TfjsDevice;
  readonly #capabilities: EngineCapabilities;
  readonly #maxTokens: number;
  readonly #loraScale: number | null;
  /** Trained parameters; the optimizer writes into their data. */
  readonly #parameters: TensorMap;
  readonly #optimizer: AdamW;
  readonly #frozen: Map<string, tf.Tensor>;
  /** Copies of `#parameters` on the device; empty after a change, filled when next needed. */
  #trained = new Map<string, tf.Tensor>();
  #gradients = new Map<string, Float32Array>();
  #isDisposed = false;

  constructor(
    { config, trains, adapter, device, maxMicrobatchTokens }: TfjsEngineOptions,
    label: string,
    parameters: TensorMap,
    frozen: Map<string, tf.Tensor>,
  ) {
    this.#config = config;
    this.#device = device;
    this.#capabilities = {
      outputs: ["logProb", "rawLogProb", "entropy", "sumSquaredProb"],
      derivatives: ROW_DERIVATIVES,
      sequences: ["temperatures", "keptTokenIds", "parents", "positions"],
      trains,
      reads: ["parameters", "gradients"],
      device: label,
    };
    this.#maxTokens = maxMicrobatchTokens ?? 1024;
    this.#loraScale = adapter ? adapter.alpha / adapter.rank : null;
    this.#parameters = parameters;
    this.#optimizer = new AdamW(parameters);
    this.#frozen = frozen;
  }

  capabilities(): EngineCapabilities {
    return this.#capabilities;
  }

  forward(batch: TrainBatch): Promise<TokenOutputs> {
    return this.#run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      const zeros = (): Float32Array[] =>
        batch.sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length));
      const outputs = {
        logProb: zeros(),
        rawLogProb: zeros(),
        entropy: zeros(),
        sumSquaredProb: zeros(),
      };
      for (const microbatch of packMicrobatches(batch, this.#config, this.#maxTokens, () => true)) {
        const tensors = tf.tidy(() => this.#outputs(microbatch, this.#uploaded()));
        for (const name of OUTPUT_NAMES) {
          const values = await read(tensors[name]);
          forEachAsked(microbatch, ({ sequence, token }, k) => {
            (outputs[name][sequence] as Float32Array)[token] =
              name === "logProb" && !isTakenKept(microbatch, k)
                ? -Infinity
                : (values[microbatch.rows[k] as number] as number);
          });
        }
      }
      return outputs;
    });
  }

  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void> {
    return this.#run(async () => {
      requireBatchSupport(batch, this.#capabilities);
      requireDerivativeSupport(derivatives, this.#capabilities);
      checkDerivatives(batch, derivatives);
      const at = (name: RowDerivative, sequence: number, token: number): number =>
        derivatives[name]?.[sequence]?.[token] ?? 0;
      const microbatches = packMicrobatches(batch, this.#config, this.#maxTokens, (s, t) =>
        ROW_DERIVATIVES.some((name) => at(name, s, t) !== 0),
      );
      for (const microbatch of microbatches) {
        forEachAsked(microbatch, ({ sequence, token }, k) => {
          if (at("logProb", sequence, token) === 0 || isTakenKept(microbatch, k)) return;
          throw new WaggleError(
            "INVALID_ARGUMENT",
            `a token with a logProb derivative must be in its kept set, got ${microbatch.targets[k]} at token ${token} of sequence ${sequence}; set its derivative to 0`,
          );
        });
      }
      for (const microbatch of microbatches) {
        await this.#accumulate(microbatch, (name, k) => {
          const askers = microbatch.asked[k] ?? [];
          return askers.reduce((sum, { sequence, token }) => sum + at(name, sequence, token), 0);
        });
      }
    });
  }

  optimStep(options: OptimizerOptions): Promise<OptimizerResult> {
    return this.#run(async () => {
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
    return this.#run(async () => copyTensors(this.#parameters));
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
      tf.dispose([...this.#frozen.values()]);
      this.#frozen.clear();
    });
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return onBackend(this.#device, () => {
      if (this.#isDisposed) {
        throw new WaggleError(
          "DISPOSED",
          "an engine must not be used after dispose, got a call; create a new one",
        );
      }
      return work();
    });
  }

  #outputs(
    microbatch: Microbatch,
    trained: ReadonlyMap<string, tf.Tensor>,
  ): ReturnType<typeof tokenOutputs> {
    const parameters = { frozen: this.#frozen, trained, loraScale: this.#loraScale };
    const logits = tfjsLogits(this.#config, parameters, microbatch);
    return tokenOutputs(logits, microbatch);
  }

  /** Adds the gradients of Σ derivative · output over the asked rows of one microbatch. */
  async #accumulate(
    microbatch: Microbatch,
    derivative: (name: RowDerivative, k: number) => number,
  ): Promise<void> {
    const uploaded = this.#uploaded();
    const names = [...uploaded.keys()];
    const lossOf = (...tensors: tf.Tensor[]): tf.Scalar => {
      const trained = new Map(names.map((name, i) => [name, tensors[i] as tf.Tensor]));
      const outputs = this.#outputs(microbatch, trained);
      const terms = (["logProb", "rawLogProb", "entropy"] as const).map((name) => {
        const factors = new Float32Array(microbatch.ids.length);
        for (const [k, row] of microbatch.rows.entries()) factors[row] = derivative(name, k);
        return tf.sum(tf.mul(outputs[name], tf.tensor1d(factors)));
      });
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

/** Values of a tensor that is not needed after. The array is the caller's. */
async function read(tensor: tf.Tensor): Promise<Float32Array> {
  const values = Float32Array.from(await tensor.data());
  tensor.dispose();
  return values;
}

/** Kept through an enclosing `tf.tidy`: whoever asks for them disposes of them. */
function upload(tensors: TensorMap): Map<string, tf.Tensor> {
  return new Map(
    Array.from(tensors, ([name, { shape, data }]) => [
      name,
      // a copy: some backends keep the array they are given
      tf.keep(tf.tensor(data.slice(), [...shape])),
    ]),
  );
}

function copyTensors(tensors: TensorMap): TensorMap {
  return new Map(
    Array.from(tensors, ([name, { shape, data }]) => [name, { shape, data: data.slice() }]),
  );
}

function adapterTensors(config: DecoderConfig, adapter: Adapter): TensorMap {
  return new Map(
    loraParameters(config, adapter.rank).map(({ name, shape }) => {
      const tensor = adapter.tensors.get(name);
      if (tensor === undefined || tensor.shape.join() !== shape.join()) {
        throw new WaggleError(
          "ADAPTER_INCOMPATIBLE",
          `${name} must have shape [${shape.join(", ")}], got ${tensor ? `[${tensor.shape.join(", ")}]` : "nothing"}; use an adapter of this base model`,
        );
      }
      return [name, tensor];
    }),
  );
}

function isTakenKept({ keptTokenIds, targets }: Microbatch, k: number): boolean {
  const kept = keptTokenIds?.[k];
  return kept === undefined || kept === null || kept.includes(targets[k] as number);
}
