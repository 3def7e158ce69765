/**
 * How servers of the Tinker API differ, as far as training is concerned. From their sources:
 * - `skyrl`: NovaSky-AI/SkyRL a9564572eb8e91076be43c1bd5e4615e3de17265 (2026-08-21),
 *   `skyrl/tinker/{api,types,engine}.py`, `skyrl/backends/skyrl_train_backend.py`;
 * - `open-rl`: gke-labs/open-rl bfc0f090b48b47630c993b779f23f7c2c7d3b5e3 (2026-04-29),
 *   `src/server/{gateway,clock_cycle,trainer,store}.py`;
 * - the SDK that both are written for: thinking-machines-lab/tinker 0.25.0
 *   d595dc2ba62a1494aa0f452fe1d0dbb7b321b870 (2026-08-08), `src/tinker/types`.
 */
import type { OptimizerOptions } from "@waggle/protocol";
import { settingsOf } from "./optimizer-settings.ts";

/** Servers that are supported. */
export type ServerFlavorName = "skyrl" | "open-rl";

type ServerOptimizer = Omit<OptimizerOptions, "learningRate">;
type Json = { readonly [name: string]: unknown };

type ModelRequest = {
  readonly sessionId: string;
  readonly baseModel: string;
  /** 0 trains every parameter. */
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number | undefined;
};

/** Features and request formats of one server. */
export type ServerFlavor = {
  readonly name: ServerFlavorName;
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
  /** Where trained weights can be read: over HTTP, or only from the server's files. */
  readonly weights: "archive" | "folder";
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
  /** Name of the gradient norm among the metrics of a step. */
  readonly gradientNorm: string;
};

const SKYRL: ServerFlavor = {
  name: "skyrl",
  hasForward: true,
  knowsRepeats: true,
  loadsInPlace: false,
  unloads: true,
  trainsFull: true,
  alpha: 32, // api.py, create_model
  weights: "archive",
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
  gradientNorm: "skyrl.ai/grad_norm",
};

const OPEN_RL: ServerFlavor = {
  name: "open-rl",
  hasForward: false,
  knowsRepeats: false,
  loadsInPlace: true,
  unloads: false,
  trainsFull: false,
  alpha: null,
  weights: "folder",
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
  adamParams: (options) => ({
    ...adamParams(options),
    grad_clip_norm: settingsOf(options).maxGradientNorm,
  }),
  // gateway.py, save_weights: otherwise moments are not saved.
  saveWeights: (modelId, name) => ({ model_id: modelId, path: name, include_optimizer: true }),
  gradientNorm: "grad_norm:mean",
};

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
};
