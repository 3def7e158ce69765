/**
 * The TrainEngine port: a decoder that computes per-token outputs (forward) and takes per-token
 * derivatives to accumulate gradients (backward). It knows no advantages, losses or rewards. A loss is
 * a pure function from the outputs to a scalar and derivatives; see `packages/learning`.
 */

/** A dense float32 array. */
export type Tensor = { readonly shape: readonly number[]; readonly data: Float32Array };

/** Tensors by name, in a stable order. */
export type TensorMap = ReadonlyMap<string, Tensor>;

/**
 * One sequence of T tokens, or a tree of T tokens whose branches share prefixes, with each shared token
 * stored once. Sequences of a batch may differ in length; the engine packs and pads them.
 */
export type TrainSequence = {
  readonly tokenIds: readonly number[];
  /**
   * `[T]` index of the token that precedes each one, `-1` for a first token. A parent must come before
   * its children. A token attends to itself and its ancestors. Absent: a plain sequence.
   */
  readonly parents?: readonly number[] | undefined;
  /** `[T]` positions for the rotary embedding. Default: the number of ancestors. */
  readonly positions?: readonly number[] | undefined;
  /** `[T]` softmax temperature at which each token was sampled, or one number for all. Default 1. */
  readonly temperatures?: number | readonly number[] | undefined;
  /** `[T]` ids that could be sampled at each position; `null` = all. Absent = all at every position. */
  readonly keptTokenIds?: readonly (readonly number[] | null)[] | undefined;
  /**
   * `[T]` ids whose log-probs are needed at each position besides that of the taken token (for
   * distillation from a teacher's candidates); `null` = none at that position. Absent = none.
   */
  readonly candidateTokenIds?: readonly (readonly number[] | null)[] | undefined;
};

/** Sequences to process together, and what to compute for them. */
export type TrainBatch = {
  readonly sequences: readonly TrainSequence[];
  /** Whether `forward` computes `values`. Default false. */
  readonly values?: boolean | undefined;
  /**
   * Whether `backward` propagates derivatives of `values` from the value heads into the decoder. `false`
   * trains the heads alone, on fixed hidden states. Default true.
   */
  readonly valuesTrainDecoder?: boolean | undefined;
};

/**
 * Per sequence, `[T]` arrays. Entry t belongs to token t given its ancestors; the entry of a first
 * token is 0. Log-probs and entropy are in nats.
 */
export type TokenOutputs = {
  /** log π of the taken token, given its temperature and kept set. */
  readonly logProb: readonly Float32Array[];
  /** log π of the taken token at temperature 1, full support. */
  readonly rawLogProb: readonly Float32Array[];
  /** Entropy, given the temperature and kept set. */
  readonly entropy: readonly Float32Array[];
  /** Σ_v π(v)², given the temperature and kept set. No gradient flows through it. */
  readonly sumSquaredProb: readonly Float32Array[];
  /**
   * `[T·H]`, token by token, if requested: the H value heads applied to the hidden state *at* token t
   * (that is, after it), so a first token has values too. In the unit of the returns they are fitted to.
   */
  readonly values?: readonly Float32Array[] | undefined;
  /** `[T]` of `[K]` if requested: raw log π of the candidates at each position (temperature 1, full support). */
  readonly candidateLogProbs?: readonly (readonly (Float32Array | null)[])[] | undefined;
};

/**
 * dL/d(output), per sequence as in `TokenOutputs`. Entries of a first token are ignored, except for
 * values. An absent output has derivative 0.
 */
export type TokenDerivatives = {
  readonly logProb?: readonly Float32Array[] | undefined;
  readonly rawLogProb?: readonly Float32Array[] | undefined;
  readonly entropy?: readonly Float32Array[] | undefined;
  readonly values?: readonly Float32Array[] | undefined;
  readonly candidateLogProbs?: readonly (readonly (Float32Array | null)[])[] | undefined;
};

/** Settings of one optimizer step: AdamW's, and what updates matrices. */
export type OptimizerOptions = {
  readonly learningRate: number;
  /** Learning rate of the value heads, which tolerate a larger one than the decoder. Default: `learningRate`. */
  readonly valueLearningRate?: number;
  /**
   * What updates the matrices of the layers; all other parameters always take AdamW. Muon needs an engine that has it.
   * Default `adamw`.
   */
  readonly matrices?: "adamw" | "muon";
  /** Default 0.9. */
  readonly beta1?: number;
  /** Default 0.95. */
  readonly beta2?: number;
  /** Default 1e-8. */
  readonly epsilon?: number;
  /** Decoupled weight decay on matrices (AdamW), default 0. */
  readonly weightDecay?: number;
  /** Global L2 norm that gradients are clipped to; 0 or absent = no clipping. */
  readonly maxGradientNorm?: number;
};

/** What an optimizer step reports. */
export type OptimizerResult = {
  /** Global L2 norm before clipping. */
  readonly gradientNorm: number;
  /** Optimizer steps taken so far, including this one. */
  readonly step: number;
  /**
   * f16 only: how often gradients of this step overflowed and were recomputed at a smaller scale. The
   * step itself is complete.
   */
  readonly overflows?: number;
};

/** What an engine supports. Check it before a run instead of catching `CAPABILITY_MISSING`. */
export type EngineCapabilities = {
  /** Outputs of `forward` that this engine computes. Others must not be used. */
  readonly outputs: readonly (keyof TokenOutputs)[];
  /** Derivatives that `backward` accepts. */
  readonly derivatives: readonly (keyof TokenDerivatives)[];
  /** Optional members of a sequence that this engine supports. Others throw `CAPABILITY_MISSING`. */
  readonly sequences: readonly ("temperatures" | "keptTokenIds" | "parents" | "positions")[];
  /** `lora`: the base is frozen, A and B are trained. `full`: every parameter is trained. */
  readonly trains: "lora" | "full";
  /** Number of value heads (H of `values`). Absent if there are none; `outputs` then lacks `values`. */
  readonly valueHeads?: number | undefined;
  /** Number format of linear layers and logits. Absent: f32, or a server's own choice. */
  readonly precision?: "f16" | undefined;
  /** What can be read back with the method of that name. Others throw `CAPABILITY_MISSING`. */
  readonly reads: readonly ("parameters" | "gradients")[];
  /**
   * AdamW settings that a server fixed when it was started. A step with other settings throws
   * `CAPABILITY_MISSING`. Absent: settings may change with every step.
   */
  readonly fixedOptimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
  /** Whether `optimStep` takes `matrices: "muon"`. Absent: no. */
  readonly muon?: boolean | undefined;
  /** For reports: `onnx native cpu x2`, `tfjs webgpu google/swiftshader`. */
  readonly device: string;
};

/** Everything needed to resume exactly: trained parameters, moments and step, as plain tensors. */
export type EngineCheckpoint = {
  readonly step: number;
  readonly tensors: TensorMap;
  /** For an engine that cannot read its moments back: where the server keeps them. `tensors` is then empty. */
  readonly location?: string | undefined;
};

/** A model under training. */
export interface TrainEngine {
  capabilities(): EngineCapabilities;
  /**
   * @throws WaggleError `NON_FINITE_VALUE` in f16, if activations overflow. `OUT_OF_MEMORY` before
   *   anything runs, if an engine that plans its memory finds too little.
   */
  forward(batch: TrainBatch): Promise<TokenOutputs>;
  /**
   * Adds the gradients of Σ derivative · output to the accumulated gradients.
   * @throws WaggleError `OUT_OF_MEMORY` as `forward` does; accumulated gradients are kept.
   */
  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void>;
  /**
   * Takes one AdamW step on the accumulated gradients and resets them to zero.
   * @throws WaggleError `NON_FINITE_VALUE` if a gradient is not finite. Parameters are unchanged and
   *   the gradients are dropped.
   */
  optimStep(options: OptimizerOptions): Promise<OptimizerResult>;
  /**
   * Accumulated gradients by parameter name, for tests and diagnostics.
   * @throws WaggleError `CAPABILITY_MISSING` unless `capabilities().reads` has `gradients`.
   */
  gradients(): Promise<TensorMap>;
  /**
   * The trained parameters: PEFT names with `lora`, Hugging Face names with `full`, followed by the
   * value heads' `score.weight` `[H, C]` and `score.bias` `[H]`.
   * @throws WaggleError `CAPABILITY_MISSING` unless `capabilities().reads` has `parameters`.
   */
  parameters(): Promise<TensorMap>;
  save(): Promise<EngineCheckpoint>;
  /** @throws WaggleError `CHECKPOINT_CORRUPT` if names or shapes do not match. */
  load(checkpoint: EngineCheckpoint): Promise<void>;
  dispose(): Promise<void>;
}

/** Initial parameters of a model over a shared base. They are copied. */
export type ModelStart = {
  /** B·A·alpha/rank is added to each linear layer. Tensors have PEFT's names. */
  readonly adapter: {
    readonly rank: number;
    readonly alpha: number;
    readonly tensors: TensorMap;
  };
  /** `score.weight` `[H, C]` and `score.bias` `[H]`, if values are needed. */
  readonly valueHead?: { readonly heads: number; readonly tensors: TensorMap } | undefined;
};

/**
 * One base model in memory with several models trained over it, as in the Tinker API. Each model is an
 * adapter of any rank with its own gradients, moments and steps, under an id chosen by the caller. Training
 * one model leaves the others bit-identical. Calls to different models take turns.
 */
export interface SharedBase {
  /**
   * @throws WaggleError `INVALID_ARGUMENT` if the id is in use, `ADAPTER_INCOMPATIBLE`,
   *   `OUT_OF_MEMORY` if another model does not fit, `CAPABILITY_MISSING` if the base does not support
   *   more models or value heads.
   */
  createModel(modelId: string, start: ModelStart): Promise<TrainEngine>;
  /** The engine of a model. @throws WaggleError `NOT_FOUND` */
  model(modelId: string): TrainEngine;
  /** In order of creation. */
  modelIds(): string[];
  /**
   * Frees the model's own memory, as its engine's `dispose` does. The id can then be used again.
   * @throws WaggleError `NOT_FOUND`
   */
  unloadModel(modelId: string): Promise<void>;
  /** Unloads all models and the base. */
  dispose(): Promise<void>;
}
