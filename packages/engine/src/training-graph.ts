/**
 * The training graph of a decoder as an ONNX model: from token ids to the per-token outputs of the
 * TrainEngine port, or from per-token derivatives to the gradients of weights. Weights are inputs,
 * as they change every step. Not an execution and not the inference graph of `@waggle/model`.
 */
import { decoderParameters, OnnxGraphBuilder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { declareLayerInputs, decoderLayer } from "./decoder-layer.ts";
import { addHeadGradient, addHeadOutputs } from "./token-head.ts";
import { GraphTape } from "./graph-tape.ts";
import { linear, rmsNorm } from "./tape-operations.ts";

/** Which graph: each combination is built when first needed. */
export type GraphVariant = {
  readonly pass: "forward" | "backward";
  /** Blocks of the queries of attention. */
  readonly blocks: number;
  /** Some temperature is not 1 or some kept set is not everything. */
  readonly tempered: boolean;
  /** Some kept set is not everything; implies `tempered`. */
  readonly masked: boolean;
  /** Backward only: derivatives of the entropy are given. */
  readonly entropy: boolean;
  /** Backward only, tempered: derivatives of the raw log-prob or of candidates are given. */
  readonly raw: boolean;
  /** Raw log-probs of candidates are asked for, or their derivatives are given. */
  readonly candidates: boolean;
};

export type TrainingGraph = {
  readonly bytes: Uint8Array;
  /** Backward only: output name to the weight whose gradient it is. */
  readonly gradients: ReadonlyMap<string, string>;
};

export const EMBEDDING = "model.embed_tokens.weight";
/** `[N, C]`: gradient with respect to the embedded tokens; its rows are summed by token outside. */
export const EMBEDDED_GRADIENT = "gradient:embedded";
/** `[K, C]`: gradient with respect to the logit row of each taken token, summed outside. */
export const TAKEN_GRADIENT = "gradient:taken";

/** Name of the matrix that makes the logits. */
export function headName(config: DecoderConfig): string {
  return config.tiedEmbeddings ? EMBEDDING : "lm_head.weight";
}

/**
 * Builds one variant. With B sequences of T input tokens (N = B·T) and K rows whose next token is
 * asked for, the inputs are all weights under their own names and
 * - `ids` i32 `[B·T]`, `rows` i32 `[K]`, `inverse` i32 `[N]`, `targets` i32 `[K, 1]`;
 * - those of `declareLayerInputs`;
 * - tempered: `inverseTemperatures` f32 `[K, 1]`; masked: `keptMask` f32 `[K, V]`; candidates:
 *   `candidates` i64 `[P, 2]` (row, id), each once;
 * - backward: `derivatives`, `takenScale` and, by variant, `rawDerivatives` (those of candidates
 *   included), `entropyDerivatives` f32 `[K, 1]`, `candidateDerivatives` f32 `[P]`.
 *
 * @param trained names of the weights whose gradients are wanted; only for backward.
 * @param device what the device that runs it can do.
 */
export function buildTrainingGraph(
  config: DecoderConfig,
  variant: GraphVariant,
  trained: ReadonlySet<string>,
  device: { readonly savesNormScale: boolean },
): TrainingGraph {
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, device.savesNormScale);
  for (const { name, shape } of decoderParameters(config)) {
    builder.input(name, "f32", shape);
    if (variant.pass === "backward" && trained.has(name)) tape.track(name);
  }
  declareInputs(tape, config, variant);

  const embedded = tape.op("Gather", [EMBEDDING, "ids"], { attributes: { axis: 0 } });
  if (tape.isTracked(EMBEDDING)) tape.track(embedded);
  let hidden = embedded;
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const weights = {
      linear: (name: string, input: string, addend?: string) =>
        linear(tape, input, `${prefix}.${name}.weight`, addend),
      norm: (name: string) => `${prefix}.${name}.weight`,
      blocks: variant.blocks,
    };
    // After the last attention no token looks at another: only the asked rows go on.
    const rows = layer === config.layers - 1 ? { indices: "rows", inverse: "inverse" } : undefined;
    hidden = decoderLayer(tape, config, weights, hidden, rows);
  }
  const normal = rmsNorm(tape, hidden, "model.norm.weight", {
    size: config.width,
    epsilon: config.rmsNormEpsilon,
  });
  const head = headName(config);
  if (variant.pass === "forward") {
    addHeadOutputs(tape, { hidden: normal, weight: head, variant });
    return { bytes: builder.build(), gradients: new Map() };
  }
  addHeadGradient(tape, { hidden: normal, weight: head, variant });
  tape.backward();
  const gradients = declareGradients(tape, config, embedded, normal);
  return { bytes: builder.build(), gradients };
}

function declareInputs(tape: GraphTape, config: DecoderConfig, variant: GraphVariant): void {
  const { builder } = tape;
  builder.input("ids", "i32", ["N"]);
  builder.input("rows", "i32", ["K"]);
  builder.input("targets", "i32", ["K", 1]);
  declareLayerInputs(tape, config, variant.pass, variant.blocks);
  if (variant.tempered) builder.input("inverseTemperatures", "f32", ["K", 1]);
  if (variant.masked) builder.input("keptMask", "f32", ["K", config.vocabularySize]);
  if (variant.candidates) builder.input("candidates", "i64", ["P", 2]);
  if (variant.pass === "forward") return;
  builder.input("inverse", "i32", ["N"]);
  builder.input("derivatives", "f32", ["K", 1]);
  builder.input("takenScale", "f32", ["K", 1]);
  if (variant.raw) builder.input("rawDerivatives", "f32", ["K", 1]);
  if (variant.entropy) builder.input("entropyDerivatives", "f32", ["K", 1]);
  if (variant.candidates) builder.input("candidateDerivatives", "f32", ["P"]);
}

function declareGradients(
  tape: GraphTape,
  config: DecoderConfig,
  embedded: string,
  normal: string,
): ReadonlyMap<string, string> {
  const { builder } = tape;
  const gradients = new Map<string, string>();
  for (const { name, shape } of decoderParameters(config)) {
    const gradient = tape.gradient(name);
    if (gradient === undefined) continue;
    builder.output(gradient, "f32", shape);
    gradients.set(gradient, name);
  }
  if (tape.isTracked(EMBEDDING)) {
    const rows = tape.gradient(embedded);
    if (rows !== undefined) {
      builder.node("Identity", [rows], { outputs: [EMBEDDED_GRADIENT] });
      builder.output(EMBEDDED_GRADIENT, "f32", ["N", config.width]);
    }
  }
  if (tape.isTracked(headName(config))) {
    builder.node("Mul", [normal, "takenScale"], { outputs: [TAKEN_GRADIENT] });
    builder.output(TAKEN_GRADIENT, "f32", ["K", config.width]);
  }
  return gradients;
}
