/**
 * The TrainEngine port: a decoder whose per-token outputs come out forward and whose gradients come
 * from per-token derivatives backward. It knows no advantage, no loss and no reward; a loss is a
 * pure function of its outputs to a scalar and derivatives (`packages/learning`).
 */

/** A dense float32 array. */
export type Tensor = { readonly shape: readonly number[]; readonly data: Float32Array };

/** Tensors by name, in a stable order. */
export type TensorMap = ReadonlyMap<string, Tensor>;

/**
 * One sequence of T tokens, or a tree of T tokens: continuations that share a prefix, each token once.
 * Sequences of a batch may differ in length; packing and padding are the engine's matter.
 */
export type TrainSequence = {
  readonly tokenIds: readonly number[];
  /**
   * `[T]` the token that comes right before each one, `-1` for a first token; always less than the
   * token itself. A token sees its ancestors and itself. Absent: each follows the one before it.
   */
  readonly parents?: readonly number[] | undefined;
  /** `[T]` positions for the rotary embedding. Default: the number of ancestors. */
  readonly positions?: readonly number[] | undefined;
  /** `[T]` softmax temperature under which each token was sampled; a number serves all. Default 1. */
  readonly temperatures?: number | readonly number[] | undefined;
  /** `[T]` ids that could be sampled at each position; `null` = all. Absent = all everywhere. */
  readonly keptTokenIds?: readonly (readonly number[] | null)[] | undefined;
  /**
   * `[T]` ids whose log-probs are wanted at each position beside the taken one's (distillation from
   * a teacher's candidates); `null` = none there. Absent = none.
   */
  readonly candidateTokenIds?: readonly (readonly number[] | null)[] | undefined;
};

export type TrainBatch = {
  readonly sequences: readonly TrainSequence[];
  /** Whether `values` are wanted from `forward`. Default false. */
  readonly values?: boolean | undefined;
  /**
   * Whether derivatives of `values` go on from the heads into the decoder (`backward`). `false`
   * trains the heads alone, on hidden states as they are. Default true.
   */
  readonly valuesTrainDecoder?: boolean | undefined;
};

/**
 * Per sequence `[T]` arrays; entry t speaks of token t given its ancestors, the entry of a first
 * token is 0. Log-probs and entropy in nats.
 */
export type TokenOutputs = {
  /** log π of the taken token under its temperature and kept set. */
  readonly logProb: readonly Float32Array[];
  /** log π of the taken token at temperature 1, full support. */
  readonly rawLogProb: readonly Float32Array[];
  /** Entropy under temperature and kept set. */
  readonly entropy: readonly Float32Array[];
  /** Σ_v π(v)² under temperature and kept set. No gradient flows through it. */
  readonly sumSquaredProb: readonly Float32Array[];
  /**
   * `[T·H]`, token by token, where asked: the H value heads on the hidden state *of* token t (that
   * is, after it), so a first token has values too. In the unit of the returns they are fitted to.
   */
  readonly values?: readonly Float32Array[] | undefined;
  /** `[T]` of `[K]` where asked: raw log π of the candidates at each position (temperature 1, full support). */
  readonly candidateLogProbs?: readonly (readonly (Float32Array | null)[])[] | undefined;
};

/**
 * dL/d(output), per sequence as in `TokenOutputs`; entries of a first token are ignored but for
 * values, an absent output has derivative 0.
 */
export type TokenDerivatives = {
  readonly logProb?: readonly Float32Array[] | undefined;
  readonly rawLogProb?: readonly Float32Array[] | undefined;
  readonly entropy?: readonly Float32Array[] | undefined;
  readonly values?: readonly Float32Array[] | undefined;
  readonly candidateLogProbs?: readonly (readonly (Float32Array | null)[])[] | undefined;
};

export type OptimizerOptions = {
  readonly learningRate: number;
  /** Of value heads, which bear a larger one than a decoder. Default: `learningRate`. */
  readonly valueLearningRate?: number;
  /** Default 0.9. */
  readonly beta1?: number;
  /** Default 0.95. */
  readonly beta2?: number;
  /** Default 1e-8. */
  readonly epsilon?: number;
  /** Decoupled weight decay on matrices (AdamW), default 0. */
  readonly weightDecay?: number;
  /** Global L2 norm the gradients are clipped to; 0 or absent = no clipping. */
  readonly maxGradientNorm?: number;
};

export type OptimizerResult = {
  /** Global L2 norm before clipping. */
  readonly gradientNorm: number;
  /** Optimizer steps taken so far, this one included. */
  readonly step: number;
  /**
   * In f16: how often gradients of this step left its range and were computed again, scaled down. The
   * step itself is whole. Absent in f32.
   */
  readonly overflows?: number;
};

export type EngineCapabilities = {
  /** Outputs of `forward` that are what the port says; the others must not be used. */
  readonly outputs: readonly (keyof TokenOutputs)[];
  /** Derivatives that `backward` accepts. */
  readonly derivatives: readonly (keyof TokenDerivatives)[];
  /** What a sequence may ask for beside its tokens; the rest is refused with `CAPABILITY_MISSING`. */
  readonly sequences: readonly ("temperatures" | "keptTokenIds" | "parents" | "positions")[];
  /** `lora`: base frozen, A and B trained. `full`: every parameter. */
  readonly trains: "lora" | "full";
  /** Value heads, H of `values`; absent where there are none, and `outputs` has no `values`. */
  readonly valueHeads?: number | undefined;
  /** Of the products of linears and logits. Absent: f32, or whatever a server has. */
  readonly precision?: "f16" | undefined;
  /** What can be read back by the method of that name; the others throw `CAPABILITY_MISSING`. */
  readonly reads: readonly ("parameters" | "gradients")[];
  /**
   * Settings of AdamW that a server fixed when it was started: a step that asks for others is
   * refused with `CAPABILITY_MISSING`. Absent: a step takes any.
   */
  readonly fixedOptimizer?: Omit<OptimizerOptions, "learningRate"> | undefined;
  /** For reports: `onnx native cpu x2`, `tfjs webgpu google/swiftshader`. */
  readonly device: string;
};

/** Everything needed to go on exactly: trained parameters, moments, step. Plain tensors. */
export type EngineCheckpoint = {
  readonly step: number;
  readonly tensors: TensorMap;
  /** Where a server keeps the rest, for an engine that cannot read moments back: `tensors` is empty. */
  readonly location?: string | undefined;
};

export interface TrainEngine {
  capabilities(): EngineCapabilities;
  /**
   * @throws WaggleError `NON_FINITE_VALUE` in f16, where activations leave its range; `OUT_OF_MEMORY`
   *   before anything runs, where an engine that plans its memory finds too little.
   */
  forward(batch: TrainBatch): Promise<TokenOutputs>;
  /**
   * Adds the gradients of Σ derivative · output to the accumulated ones.
   * @throws WaggleError `OUT_OF_MEMORY` as `forward`; the accumulated ones stay.
   */
  backward(batch: TrainBatch, derivatives: TokenDerivatives): Promise<void>;
  /**
   * One AdamW step on the accumulated gradients, which are then zero.
   * @throws WaggleError `NON_FINITE_VALUE` when a gradient is not finite; parameters are unchanged
   *   and the gradients dropped.
   */
  optimStep(options: OptimizerOptions): Promise<OptimizerResult>;
  /**
   * Accumulated gradients by parameter name; for tests and diagnostics.
   * @throws WaggleError `CAPABILITY_MISSING` where `reads` has none; so does `parameters`.
   */
  gradients(): Promise<TensorMap>;
  /**
   * The trained parameters: PEFT names with `lora`, Hugging Face names with `full`, then those of
   * value heads, `score.weight` `[H, C]` and `score.bias` `[H]`.
   */
  parameters(): Promise<TensorMap>;
  save(): Promise<EngineCheckpoint>;
  /** @throws WaggleError `CHECKPOINT_CORRUPT` when names or shapes do not fit. */
  load(checkpoint: EngineCheckpoint): Promise<void>;
  dispose(): Promise<void>;
}

/** Where the training of a model over a shared base starts. Copied. */
export type ModelStart = {
  /** B·A·alpha/rank is added to each linear; tensors by PEFT's names. */
  readonly adapter: {
    readonly rank: number;
    readonly alpha: number;
    readonly tensors: TensorMap;
  };
  /** `score.weight` `[H, C]` and `score.bias` `[H]`, where values are wanted. */
  readonly valueHead?: { readonly heads: number; readonly tensors: TensorMap } | undefined;
};

/**
 * A base model that is held once and the models trained over it, as the Tinker API has them: each is an
 * adapter, of any rank, under an id that the caller gives, with gradients, moments and steps of its
 * own. Training one leaves the others as they are, bit for bit; their calls take turns.
 */
export interface SharedBase {
  /**
   * @throws WaggleError `INVALID_ARGUMENT` where the id is taken, `ADAPTER_INCOMPATIBLE`,
   *   `OUT_OF_MEMORY` where one more does not fit, `CAPABILITY_MISSING` where the base holds no more
   *   models or no value heads.
   */
  createModel(modelId: string, start: ModelStart): Promise<TrainEngine>;
  /** The engine of a model. @throws WaggleError `NOT_FOUND` */
  model(modelId: string): TrainEngine;
  /** In the order of their creation. */
  modelIds(): string[];
  /**
   * Gives back what is the model's own, as its engine's `dispose` does; the id is free then.
   * @throws WaggleError `NOT_FOUND`
   */
  unloadModel(modelId: string): Promise<void>;
  /** Unloads all models, and the base. */
  dispose(): Promise<void>;
}
