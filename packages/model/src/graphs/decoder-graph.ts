/**
 * The inference graph of a decoder as an ONNX model, with its states as inputs and outputs. Forward
 * only; training graphs are in `@waggle/engine`.
 */
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { architectureOf } from "../decoder/architecture.ts";
import { layerKind } from "../decoder/decoder-config.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { decoderStates } from "../decoder/decoder-state.ts";
import type { DecoderState } from "../decoder/decoder-state.ts";
import { attention, groupQueryAttention } from "./graph-attention.ts";
import type { Attend } from "./graph-attention.ts";
import { convolution, keptPositions } from "./graph-convolution.ts";
import { feedForward } from "./graph-feed-forward.ts";
import { PACKED_INPUTS } from "./graph-inputs.ts";
import type { DecoderInputs, InputForm } from "./graph-inputs.ts";
import { embed, head } from "./graph-linear.ts";
import { addConstant, cast, MICROSOFT, normalize } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";
import type { WeightFormat } from "../weight-format.ts";
import { addWeights } from "./graph-weights.ts";
import { toFloat16Bits } from "../weights/half-precision.ts";
import { OnnxGraphBuilder } from "../onnx/onnx-graph-builder.ts";
import { buildExternal } from "../onnx/onnx-external.ts";
import type { OnnxExternalFile, OnnxExternalOptions } from "../onnx/onnx-external.ts";
import { ropeTables } from "../decoder/rope.ts";
import { tensorMapSource } from "../files/tensor-source.ts";
import type { TensorSource } from "../files/tensor-source.ts";
import type { WeightStore } from "../weights/weight-store.ts";

/** Options of `buildDecoderGraph`. */
export type DecoderGraphOptions = {
  /** With a rank, A and B of every linear are graph inputs; see `adapterGraphInputs`. */
  readonly lora: { readonly rank: number } | null;
  /**
   * Positions that the rotary tables cover; running longer sequences fails. Default: the config's
   * context length, at most 8192.
   */
  readonly maxPositions?: number;
  /** Number format of the matrices. Default `f32`. */
  readonly dtype?: WeightFormat;
  /**
   * Number format of activations, states and adapters. Can only be chosen with quantized matrices
   * (default `f32`); otherwise it is the matrices' own.
   */
  readonly activations?: "f32" | "f16";
  /**
   * Whether quantized products round their activations to 8 bits. On a native CPU that is 3 (int4)
   * to 70 times (int8) faster, and adds about as much error as int8 itself has. Default false.
   */
  readonly roundsActivations?: boolean;
  /** Whether only the positions in the input `logit_rows` get logits. Default false: all do. */
  readonly logitRows?: boolean;
  /** `emptySink`, which makes onnxruntime's CPU provider faster. Default: none. */
  readonly sink?: (parts: GraphParts) => string;
  /** `joinProducts`, which makes onnxruntime's CPU provider faster. Default: none. */
  readonly arrange?: (graph: OnnxGraphBuilder) => void;
  /**
   * Form of the inputs: `HUGGINGFACE_INPUTS` (those that Transformers.js feeds), or one for branches:
   * `BRANCHES`, `GPU_BRANCHES` or `PACKED_OR_BRANCHES`. Default `PACKED_INPUTS`.
   */
  readonly inputs?: InputForm | undefined;
  /**
   * If given, weights and rotary tables are graph inputs, kept in this store by name. A store that
   * is not empty must have all of them; `weights` are not read then. Default: constants in the
   * model.
   */
  readonly store?: WeightStore;
  /** When to move weights to files beside the model, because protobuf is limited to 2 GiB. */
  readonly external?: OnnxExternalOptions;
};

/** Properties of a decoder graph. */
type DecoderFacts = {
  /** States, as past inputs and present outputs, layer by layer. */
  readonly states: readonly DecoderState[];
  /** Number format of the matrices. */
  readonly dtype: WeightFormat;
  /** Number format of states and of the adapter's inputs. Logits are f32. */
  readonly activations: "f32" | "f16";
};

/** A serialized decoder graph. */
export type DecoderGraph = DecoderFacts & {
  /** ONNX bytes. */
  readonly model: Uint8Array;
  /** Files that the model refers to, for `SessionOptions.externalData`. Usually empty. */
  readonly externalData: readonly OnnxExternalFile[];
};

const DEFAULT_MAX_POSITIONS = 8192;

/**
 * For batch B, S new tokens and P past positions the inputs are
 * - `input_ids` i32 `[B, S]`, rows padded on the right;
 * - `seqlens_k` i32 `[B]`: positions that count in each row after this run, minus one;
 * - `total_sequence_length` i32 scalar: P + S;
 * - `past_key_values.{layer}.key` and `.value` `[B, kvHeads, P, D]` (P may be 0), `past_conv.{layer}`
 *   `[B, taps - 1, C]`, zeros at first: `DecoderGraph.states`. With convolutions, rows of different
 *   length can only share a run if all start empty;
 * - with `logitRows`, `logit_rows` i32 `[N]`: positions that get logits, numbered row · S + column;
 * - with LoRA, per linear `[in, r]` and `[r, out]` under PEFT's names;
 *
 * and the outputs `logits` f32 `[B, S, V]` or `[1, N, V]`, `present.{layer}.key` and `.value`
 * `[B, kvHeads, P + S, D]`, `present_conv.{layer}` `[B, taps - 1, C]`.
 *
 * With `HUGGINGFACE_INPUTS`, `input_ids` i64 `[B, S]` and `attention_mask` i64 `[B, P + S]` replace
 * the first three inputs; rows are whole, or padded on the right or the left.
 *
 * With `BRANCHES`, S is 1, past and present are the branches' own positions with room for further
 * ones, `[B, kvHeads, room, D]`, and these inputs replace `seqlens_k` and `total_sequence_length`:
 * - `positions` i32 `[B, 1]`: of the token, counted from the start of the prefix; - `slots` i32
 * `[B, kvHeads, 1, 3]`: row, head and own position for the token's keys and values; - `own_bias`
 * f32 `[B, 1, 1, room]`: 0 for own positions that count, −1e9 for the rest, which must be
 *   finite numbers;
 * - `prefix.{layer}.key` `[1, kvHeads, D, P]`, transposed, and `.value` `[1, kvHeads, P, D]`.
 *
 * `GPU_BRANCHES` is the same, except that the prefix's keys have the layout of its values,
 * `prefix_length` i32 `[1]`, read on the host, is P, and `bias` f32 `[1, B, 1, P + room]` replaces
 * `own_bias`: the prefix may have unused room. Models with sliding layers have `sliding_bias` for
 * those.
 *
 * `PACKED_OR_BRANCHES` has the inputs of both and `is_branches` i32 `[1]`: 1 for branches. Inputs
 * of the other way must be fed but are not read, so any size will do.
 *
 * @param weights in memory, or a source that is read slice by slice.
 * @throws WaggleError `MODEL_CORRUPT` if the weights do not match the config, `MODEL_UNSUPPORTED` if the
 *   head size is not a multiple of 16, which GroupQueryAttention needs.
 */
export async function buildDecoderGraph(
  config: DecoderConfig,
  weights: TensorMap | TensorSource,
  options: DecoderGraphOptions,
): Promise<DecoderGraph> {
  const { graph, ...facts } = await assembleDecoder(config, weights, options);
  options.arrange?.(graph);
  return { ...buildExternal(graph, options.external), ...facts };
}

/** Builds the graph without serializing it, for callers that keep weights in a store. */
export async function assembleDecoder(
  config: DecoderConfig,
  weights: TensorMap | TensorSource,
  options: DecoderGraphOptions,
): Promise<DecoderFacts & { readonly graph: OnnxGraphBuilder }> {
  if (config.headSize % 16 !== 0) {
    throw new WaggleError(
      "MODEL_UNSUPPORTED",
      `head_dim must be a multiple of 16, got ${config.headSize}; use a model with such heads`,
    );
  }
  const dtype = options.dtype ?? "f32";
  const activations = options.activations ?? (dtype === "f16" ? "f16" : "f32");
  if ((dtype === "f32" || dtype === "f16") && activations !== dtype) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `${dtype} matrices need ${dtype} activations, not ${activations}; leave the option out`,
    );
  }
  const parts: GraphParts = {
    graph: new OnnxGraphBuilder(),
    config,
    architecture: architectureOf(config),
    weightFormat: dtype,
    activations,
    // gemma3's residual grows beyond 65504, float16's largest number
    residual: config.modelType === "gemma3_text" ? "f32" : activations,
    roundsActivations: options.roundsActivations ?? false,
    lora: options.lora,
    store: options.store,
  };
  const { graph } = parts;
  const states = decoderStates(config, activations);
  const inputs = (options.inputs ?? PACKED_INPUTS)(parts);
  for (const state of states) graph.input(state.past, state.dtype, stateDims(state, "past"));
  const known = new Map(options.store?.tensors);
  for (const [name, tensor] of known) graph.input(name, tensor.type, tensor.shape);
  if (known.size === 0) {
    await addRopeTables(parts, options);
    await addWeights(parts, "tensors" in weights ? weights : tensorMapSource(weights));
  }

  const hidden = addLayers(parts, inputs.inputIds, addMixer(parts, inputs, options));
  addLogits(parts, inputs.restore?.(hidden) ?? hidden, options);
  for (const state of states) graph.output(state.present, state.dtype, stateDims(state, "total"));
  return { graph, states, dtype, activations };
}

/** The part of a layer that mixes positions. */
type Mixer = (layer: number, hidden: string) => string;

function addMixer(parts: GraphParts, inputs: DecoderInputs, options: DecoderGraphOptions): Mixer {
  const { config } = parts;
  const attend = addAttention(parts, inputs, options);
  const isConvolution = (layer: number): boolean => layerKind(config, layer) === "convolution";
  const hasConvolutions = Array.from({ length: config.layers }, (_, layer) => layer).some(
    isConvolution,
  );
  const kept =
    hasConvolutions && inputs.sequence !== null
      ? keptPositions(parts, inputs.inputIds, inputs.sequence.lastPositions)
      : "";
  return (layer, hidden) =>
    isConvolution(layer)
      ? convolution(parts, layer, hidden, kept)
      : attention(parts, layer, hidden, attend);
}

function addAttention(
  parts: GraphParts,
  { sequence, branch }: DecoderInputs,
  options: DecoderGraphOptions,
): Attend {
  const sink = (sequence && options.sink?.(parts)) ?? null;
  const packed: Attend | null =
    sequence &&
    ((layer, projections, present) =>
      groupQueryAttention(parts, layer, projections, present, { ...sequence, sink }));
  return branch === null ? (packed as Attend) : branch(packed);
}

/** @returns the normalized residual after the last layer, `[B, S, C]` in the activations' format. */
function addLayers(parts: GraphParts, inputIds: string, mixer: Mixer): string {
  const { config, architecture } = parts;
  const { mixerNorm, feedForwardNorm, outputNorms, finalNorm } = architecture;
  const outputNorm = (x: string, norm: string | undefined): string =>
    norm === undefined
      ? x
      : normalize(parts, cast(parts, x, parts.activations, parts.residual), norm);
  const narrowed = (x: string): string => cast(parts, x, parts.residual, parts.activations);

  let residual = embed(parts, inputIds);
  let hidden = normalize(parts, residual, `model.layers.0.${mixerNorm}.weight`);
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const normOf = (name: string | undefined): string | undefined =>
      name === undefined ? undefined : `${prefix}.${name}.weight`;
    const mixed = mixer(layer, narrowed(hidden));
    [hidden, residual] = addAndNormalize(
      parts,
      outputNorm(mixed, normOf(outputNorms?.mixer)),
      residual,
      `${prefix}.${feedForwardNorm}.weight`,
    );
    const fed = feedForward(parts, layer, narrowed(hidden));
    const isLast = layer === config.layers - 1;
    [hidden, residual] = addAndNormalize(
      parts,
      outputNorm(fed, normOf(outputNorms?.feedForward)),
      residual,
      `${isLast ? finalNorm : `model.layers.${layer + 1}.${mixerNorm}`}.weight`,
    );
  }
  return narrowed(hidden);
}

function addLogits(parts: GraphParts, hidden: string, options: DecoderGraphOptions): void {
  const { graph, config } = parts;
  const { vocabularySize, width } = config;
  if (options.logitRows !== true) {
    head(parts, hidden);
    graph.output("logits", "f32", ["batch_size", "sequence", vocabularySize]);
    return;
  }
  const wanted = graph.input("logit_rows", "i32", ["rows"]);
  // Of rank 3 like products in layers, because a GPU compiles kernels for each rank.
  const flat = graph.op("Reshape", [hidden, graph.ints([1, -1, width])]);
  head(parts, graph.op("Gather", [flat, wanted], { attributes: { axis: 1 } }));
  graph.output("logits", "f32", [1, "rows", vocabularySize]);
}

async function addRopeTables(parts: GraphParts, options: DecoderGraphOptions): Promise<void> {
  const { config, activations } = parts;
  const positions = options.maxPositions ?? Math.min(config.contextLength, DEFAULT_MAX_POSITIONS);
  if (!Number.isInteger(positions) || positions < 1) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `maxPositions must be a positive integer, got ${positions}; pass the longest context`,
    );
  }
  const kinds = Array.from({ length: config.layers }, (_, layer) => layerKind(config, layer));
  for (const [kind, stem] of [
    ["attention", "rope"],
    ["sliding", "rope.local"],
  ] as const) {
    if (!kinds.includes(kind)) continue;
    const tables = ropeTables(config, positions, kind);
    for (const [name, values] of Object.entries(tables)) {
      await addConstant(
        parts,
        `${stem}.${name}`,
        activations,
        [positions, config.headSize / 2],
        activations === "f32" ? values : toFloat16Bits(values),
      );
    }
  }
}

/** @returns the normalized sum, and the sum itself as the next residual. */
function addAndNormalize(
  { graph, config }: GraphParts,
  x: string,
  residual: string,
  weight: string,
): [string, string] {
  const stem = `${weight}.of`;
  const outputs = [`${stem}.normal`, "", "", `${stem}.sum`];
  graph.node("SkipSimplifiedLayerNormalization", [x, residual, weight], {
    domain: MICROSOFT,
    outputs,
    attributes: { epsilon: { float: config.rmsNormEpsilon } },
  });
  return [outputs[0] as string, outputs[3] as string];
}

function stateDims(state: DecoderState, positions: string): (number | string)[] {
  return ["batch_size", ...state.rowShape.map((dim) => (dim === "positions" ? positions : dim))];
}
