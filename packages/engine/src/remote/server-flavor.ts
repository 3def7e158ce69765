/**
 * In what the servers of the Tinker API differ, as far as training goes. Read from their sources:
 * - `skyrl`: NovaSky-AI/SkyRL a9564572eb8e91076be43c1bd5e4615e3de17265 (2026-08-21),
 *   `skyrl/tinker/{api,types,engine}.py`, `skyrl/backends/skyrl_train_backend.py`;
 * - `open-rl`: gke-labs/open-rl bfc0f090b48b47630c993b779f23f7c2c7d3b5e3 (2026-04-29),
 *   `src/server/{gateway,clock_cycle,trainer,store}.py`;
 * - the SDK both are written for: thinking-machines-lab/tinker 0.25.0
 *   d595dc2ba62a1494aa0f452fe1d0dbb7b321b870 (2026-08-08), `src/tinker/types`.
 */
import type { OptimizerOptions } from "@waggle/protocol";
import { settingsOf } from "./optimizer-settings.ts";

export type ServerFlavorName = "skyrl" | "open-rl";

type ServerOptimizer = Omit<OptimizerOptions, "learningRate">;
type Json = { readonly [name: string]: unknown };

type ModelRequest = {
  readonly sessionId: string;
  readonly baseModel: string;
  /** 0: every parameter is trained. */
  readonly rank: number;
  readonly alpha: number;
  readonly seed: number | undefined;
};

export type ServerFlavor = {
  readonly name: ServerFlavorName;
  /** `/forward` exists; without it outputs come from a `forward_backward` with zero weights. */
  readonly hasForward: boolean;
  /** A call with the `seq_id` of an earlier one gives that one's request: repeats are safe. */
  readonly knowsRepeats: boolean;
  /** `load_weights` goes into a model that is in use; without it only as a model's first request. */
  readonly loadsInPlace: boolean;
  /** `unload_model` exists. */
  readonly unloads: boolean;
  /** Rank 0 trains every parameter. */
  readonly trainsFull: boolean;
  /** The only LoRA alpha there is; null where the client says it. */
  readonly alpha: number | null;
  /** Where trained weights can be read: over HTTP, or only as files of the server. */
  readonly weights: "archive" | "folder";
  /** Whether the body of `forward_backward` may come in zstd, whatever else is understood. */
  readonly readsZstdPasses: boolean;
  /** What AdamW was given at the server's start, as in this project's files; null: by each call. */
  readonly fixedOptimizer: ServerOptimizer | null;
  readonly createModel: (request: ModelRequest) => Json;
  readonly adamParams: (options: OptimizerOptions) => Json;
  readonly saveWeights: (modelId: string, name: string) => Json;
  /** Name of the gradient's norm among the metrics of a step. */
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
  // skyrl_train_backend.py, optim_step: only the learning rate of a call counts. These are the
  // values of docs/how-to/remote/skyrl-ray.yaml; epsilon is torch's, which no key changes.
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
  // gateway.py, save_weights: without it moments are not written.
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
