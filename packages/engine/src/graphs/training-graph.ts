/**
 * The training graph of a decoder as an ONNX model: from token ids to the per-token outputs of the
 * TrainEngine port, or from per-token derivatives to the gradients of weights. Weights are inputs
 * because they change every step. The inference graph is in `@waggle/model`.
 */
import { decoderParameters, layerKind, OnnxGraphBuilder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { declareLayerInputs, decoderLayer } from "./decoder-layer.ts";
import type { GraphVariant } from "../graph-variant.ts";
import { addHeadGradient, addHeadOutputs } from "../decoder/token-head.ts";
import { GraphTape } from "./graph-tape.ts";
import type { GraphTraits } from "./graph-tape.ts";
import { gatherRows, linear, rmsNorm } from "./tape-operations.ts";

export type TrainingGraph = {
  readonly bytes: Uint8Array;
  /** Backward only: from output name to the weight whose gradient it is. */
  readonly gradients: ReadonlyMap<string, string>;
};

export const EMBEDDING = "model.embed_tokens.weight";
export const FINAL_NORM = "model.norm.weight";
/** `[N, C]`: gradient of the embedded tokens; the runner sums its rows by token. */
export const EMBEDDED_GRADIENT = "gradient:embedded";

/** `[K, C]`: hidden states after the final norm. */
export const FINAL_HIDDEN = "hidden:final";

/** Name of the matrix that computes the logits. */
export function headName(config: DecoderConfig): string {
  return config.tiedEmbeddings ? EMBEDDING : "lm_head.weight";
}

/**
 * Builds one variant. With B sequences of T input tokens (N = B·T), K needed rows and P ≤ K rows
 * whose next token is asked for, the inputs are all weights under their own names and
 * - `ids` i32 `[B·T]`, `rows` i32 `[K]`, `inverse` i32 `[N]`, `targets` i32 `[P, 1]`;
 * - logits of some rows: `logitRows` i32 `[P]`, `logitInverse` i32 `[K]`;
 * - those of `declareLayerInputs`;
 * - tempered: `inverseTemperatures` f32 `[P, 1]`; masked: `keptMask` f32 `[P, V]`; candidates:
 *   `candidates` i64 `[Q, 2]` (row, id), each once;
 * - backward: `derivatives`, `takenScale` and, by variant, `rawDerivatives` (those of candidates
 *   included), `entropyDerivatives` f32 `[P, 1]`, `candidateDerivatives` f32 `[Q]`,
 *   `hiddenGradient` f32 `[K, C]`.
 *
 * @param trained names of the weights whose gradients are wanted; backward only.
 */
export function buildTrainingGraph(
  config: DecoderConfig,
  variant: GraphVariant,
  trained: ReadonlySet<string>,
  traits: GraphTraits,
): TrainingGraph {
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder, traits);
  const biases = new Set<string>();
  for (const { kind, name, shape } of decoderParameters(config)) {
    builder.input(name, "f32", shape);
    if (kind === "bias") biases.add(name);
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
      bias: (name: string) =>
        biases.has(`${prefix}.${name}.bias`) ? `${prefix}.${name}.bias` : null,
      isRotated: layerKind(config, layer) !== "unrotated",
      norm: (name: string) => `${prefix}.${name}.weight`,
      blocks: variant.blocks,
    };
    // After the last attention rows are independent, so only the needed rows go on.
    const rows = layer === config.layers - 1 ? { indices: "rows", inverse: "inverse" } : undefined;
    hidden = decoderLayer(tape, config, weights, hidden, rows);
  }
  const normal = rmsNorm(tape, hidden, FINAL_NORM, {
    size: config.width,
    epsilon: config.rmsNormEpsilon,
    isFlat: true,
  });
  if (variant.hidden) {
    builder.node("Identity", [normal], { outputs: [FINAL_HIDDEN] });
    builder.output(FINAL_HIDDEN, "f32", ["K", config.width]);
  }
  const logitRows = { indices: "logitRows", inverse: "logitInverse", width: config.width };
  const hasLogits = variant.logits !== "none";
  const predicting = variant.logits === "some" ? gatherRows(tape, normal, logitRows) : normal;
  const head = { hidden: predicting, weight: headName(config), variant };
  if (variant.pass === "forward") {
    if (hasLogits) addHeadOutputs(tape, head);
    return { bytes: builder.build(), gradients: new Map() };
  }
  if (hasLogits) addHeadGradient(tape, head);
  if (variant.hiddenGradient) tape.add(normal, () => "hiddenGradient");
  tape.backward();
  const gradients = declareGradients(tape, config, embedded);
  return { bytes: builder.build(), gradients };
}

function declareInputs(tape: GraphTape, config: DecoderConfig, variant: GraphVariant): void {
  const { builder } = tape;
  builder.input("ids", "i32", ["N"]);
  builder.input("rows", "i32", ["K"]);
  const isBackward = variant.pass === "backward";
  declareLayerInputs(tape, config, variant.pass, variant.blocks);
  if (isBackward) builder.input("inverse", "i32", ["N"]);
  if (variant.hiddenGradient) builder.input("hiddenGradient", "f32", ["K", config.width]);
  if (variant.logits === "some") {
    builder.input("logitRows", "i32", ["P"]);
    if (isBackward) builder.input("logitInverse", "i32", ["K"]);
  }
  if (variant.logits === "none") return;
  builder.input("targets", "i32", ["P", 1]);
  if (variant.tempered) builder.input("inverseTemperatures", "f32", ["P", 1]);
  if (variant.masked) builder.input("keptMask", "f32", ["P", config.vocabularySize]);
  if (variant.candidates) builder.input("candidates", "i64", ["Q", 2]);
  if (!isBackward) return;
  builder.input("derivatives", "f32", ["P", 1]);
  builder.input("takenScale", "f32", ["P", 1]);
  if (variant.raw) builder.input("rawDerivatives", "f32", ["P", 1]);
  if (variant.entropy) builder.input("entropyDerivatives", "f32", ["P", 1]);
  if (variant.candidates) builder.input("candidateDerivatives", "f32", ["Q"]);
}

function declareGradients(
  tape: GraphTape,
  config: DecoderConfig,
  embedded: string,
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
  return gradients;
}
