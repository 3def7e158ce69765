/**
 * How servers of the Tinker API differ, as far as training is concerned. From their sources:
 * - `skyrl`: NovaSky-AI/SkyRL a9564572eb8e91076be43c1bd5e4615e3de17265 (2026-08-21),
 *   `skyrl/tinker/{api,types,engine}.py`, `skyrl/backends/skyrl_train_backend.py`;
 * - `open-rl`: gke-labs/open-rl bfc0f090b48b47630c993b779f23f7c2c7d3b5e3 (2026-04-29),
 *   `src/server/{gateway,clock_cycle,trainer,store}.py`;
 * - `sdk`, any other server: what the SDK sends that all of them are written for,
 *   thinking-machines-lab/tinker 0.25.0 d595dc2ba62a1494aa0f452fe1d0dbb7b321b870 (2026-08-08),
 *   `src/tinker/types`. What the SDK leaves open is tried with requests that change nothing.
 */
import type { OptimizerOptions } from "@waggle/protocol";
import { settingsOf } from "./optimizer-settings.ts";

/** Kinds of servers. `sdk` is every kind but the other two. */
export type ServerFlavorName = "skyrl" | "open-rl" | "sdk";

type ServerOptimizer = Omit<OptimizerOptions, "learningRate">;
type Json = { readonly [name: string]: unknown };

type ModelRequest = {
  readonly sessionId: string;
  readonly baseModel: string;
  /** 0 trains every parameter. */
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number | undefined;
  /** Number of the model in its session, from 0. */
  readonly place: number;
};

/** Features and request formats of one server. */
export type ServerFlavor = {
  readonly name: ServerFlavorName;
  /** Whether `hasForward` and `knowsRepeats` are guesses, to be replaced by what a model shows. */
  readonly isGuessed: boolean;
  /**
   * Whether requests of a model run in the order of `seq_id`. Then each of them has one, and a missing
   * number blocks those after it.
   */
  readonly isOrdered: boolean;
  /**
   * Whether `/forward` exists; otherwise outputs come from a `forward_backward` with zero weights.
   */
  readonly hasForward: boolean;
  /**
   * Whether a call with an earlier call's `seq_id` returns that call's result, so that repeats are
   * safe.
   */
  readonly knowsRepeats: boolean;
  /** Whether `load_weights` works on a model in use; otherwise only as a model's first request. */
  readonly loadsInPlace: boolean;
  /** Whether `unload_model` exists. */
  readonly unloads: boolean;
  /** Whether rank 0 trains every parameter. */
  readonly trainsFull: boolean;
  /** The only supported LoRA alpha; null if the client sets it. */
  readonly alpha: number | null;
  /** Whether a step with a gradient that is not finite leaves the parameters as they were. */
  readonly skipsNonFinite: boolean;
  /** Where trained weights can be read: over HTTP, or only from the server's files. */
  readonly weights: "archive" | "folder";
  /** Paths of the archive with a name, below the model's `checkpoints/`. The first that exists is read. */
  readonly archivePaths: (name: string) => readonly string[];
  /** Whether `forward_backward` accepts zstd, independent of other encodings. */
  readonly readsZstdPasses: boolean;
  /**
   * AdamW settings fixed at server startup, as in this project's files; null if each call sets
   * them.
   */
  readonly fixedOptimizer: ServerOptimizer | null;
  readonly createModel: (request: ModelRequest) => Json;
  readonly adamParams: (options: OptimizerOptions) => Json;
  readonly saveWeights: (modelId: string, name: string) => Json;
  /** Matches the name of the gradient norm among the metrics of a step. */
  readonly gradientNorm: RegExp;
};

const SKYRL: ServerFlavor = {
  name: "skyrl",
  isGuessed: false,
  isOrdered: false,
  hasForward: true,
  knowsRepeats: true,
  loadsInPlace: false,
  unloads: true,
  trainsFull: true,
  alpha: 32, // api.py, create_model
  skipsNonFinite: true, // fsdp_strategy.py
  weights: "archive",
  archivePaths: (name) => [`${name}/archive`],
  readsZstdPasses: true,
  // skyrl_train_backend.py, optim_step: a call only sets the learning rate. These are the values of
  // docs/how-to/remote/skyrl-ray.yaml; epsilon is torch's and cannot be changed.
  fixedOptimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradientNorm: 1 },
  createModel: ({ sessionId, baseModel, rank, seed }) => ({
    session_id: sessionId,
    base_model: baseModel,
    lora_config: { rank, ...(seed === undefined ? {} : { seed }) },
  }),
  adamParams,
  saveWeights: (modelId, name) => ({ model_id: modelId, path: name }),
  gradientNorm: /^skyrl\.ai\/grad_norm$/,
};

const OPEN_RL: ServerFlavor = {
  name: "open-rl",
  isGuessed: false,
  isOrdered: false,
  hasForward: false,
  knowsRepeats: false,
  loadsInPlace: true,
  unloads: false,
  trainsFull: false,
  alpha: null,
  skipsNonFinite: false,
  weights: "folder",
  archivePaths: () => [],
  readsZstdPasses: false,
  fixedOptimizer: null,
  createModel: ({ sessionId, baseModel, rank, alpha, seed }) => ({
    session_id: sessionId,
    base_model: baseModel,
    // trainer.py, LoraConfig: its dropout of 0.05 would make log-probs random.
    lora_config: {
      rank,
      ...(seed === undefined ? {} : { seed }),
      lora_alpha: alpha,
      lora_dropout: 0,
      train_attn: true,
      train_mlp: true,
      train_unembed: false,
    },
  }),
  adamParams: clippedAdamParams,
  // gateway.py, save_weights: otherwise moments are not saved.
  saveWeights: (modelId, name) => ({ model_id: modelId, path: name, include_optimizer: true }),
  gradientNorm: /^grad_norm:mean$/,
};

const SDK: ServerFlavor = {
  name: "sdk",
  isGuessed: true,
  isOrdered: true, // training_client.py, _take_turn
  hasForward: false,
  knowsRepeats: false,
  loadsInPlace: false,
  unloads: true,
  trainsFull: false, // lora_config.py
  alpha: null, // the SDK cannot set it; the downloaded adapter says what it is
  skipsNonFinite: false,
  weights: "archive",
  // rest_client.py, get_checkpoint_archive_url_from_tinker_path; without the folder as SkyRL's
  archivePaths: (name) => [`sampler_weights/${name}/archive`, `${name}/archive`],
  readsZstdPasses: true,
  fixedOptimizer: null,
  createModel: ({ sessionId, place, baseModel, rank, seed }) => ({
    session_id: sessionId,
    model_seq_id: place,
    base_model: baseModel,
    lora_config: {
      rank,
      ...(seed === undefined ? {} : { seed }),
      train_attn: true,
      train_mlp: true,
      train_unembed: false,
    },
    type: "create_model",
  }),
  adamParams: clippedAdamParams,
  saveWeights: (modelId, name) => ({ model_id: modelId, path: name, type: "save_weights" }),
  gradientNorm: /grad_?norm/i,
};

function clippedAdamParams(options: OptimizerOptions): Json {
  return { ...adamParams(options), grad_clip_norm: settingsOf(options).maxGradientNorm };
}

function adamParams(options: OptimizerOptions): Json {
  const { beta1, beta2, epsilon, weightDecay } = settingsOf(options);
  return {
    learning_rate: options.learningRate,
    beta1,
    beta2,
    eps: epsilon,
    weight_decay: weightDecay,
  };
}

export const SERVER_FLAVORS: { readonly [name in ServerFlavorName]: ServerFlavor } = {
  skyrl: SKYRL,
  "open-rl": OPEN_RL,
  sdk: SDK,
};
