/**
 * The training graph of a decoder as an ONNX model: from token ids to the per-token outputs of the
 * TrainEngine port, or from per-token derivatives to the gradients of weights. Weights are inputs,
 * as they change every step. Not an execution and not the inference graph of `@waggle/model`.
 */
import { decoderParameters, layerLinears, OnnxGraphBuilder } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import { addHeadGradient, addHeadOutputs } from "./token-head.ts";
import { GraphTape } from "./graph-tape.ts";
import {
  attention,
  gatherRows,
  linear,
  reshape,
  rmsNorm,
  rotary,
  swapTimeAndHeads,
  swiGlu,
} from "./tape-operations.ts";

/** Which graph: each combination is built when first needed. */
export type GraphVariant = {
  readonly pass: "forward" | "backward";
  /** Some temperature is not 1 or some kept set is not everything. */
  readonly tempered: boolean;
  /** Some kept set is not everything; implies `tempered`. */
  readonly masked: boolean;
  /** Backward only: derivatives of the entropy are given. */
  readonly entropy: boolean;
  /** Backward only, tempered: derivatives of the raw log-prob are given. */
  readonly raw: boolean;
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
 * - `cosines`, `sines`, `negatedSines` f32 `[T, D/2]`, `mask` f32 `[T, T]`;
 * - i64 shapes `perHead` `[4]` (B, T, 1, 1 in effect) and the others of `SHAPE_INPUTS`;
 * - tempered: `inverseTemperatures` f32 `[K, 1]`; masked: `keptMask` f32 `[K, V]`;
 * - backward: `derivatives` and, by variant, `rawDerivatives`, `entropyDerivatives` f32 `[K, 1]`.
 *
 * @param trained names of the weights whose gradients are wanted; only for backward.
 */
export function buildTrainingGraph(
  config: DecoderConfig,
  variant: GraphVariant,
  trained: ReadonlySet<string>,
): TrainingGraph {
  const builder = new OnnxGraphBuilder();
  const tape = new GraphTape(builder);
  for (const { name, shape } of decoderParameters(config)) {
    builder.input(name, "f32", shape);
    if (variant.pass === "backward" && trained.has(name)) tape.track(name);
  }
  declareInputs(builder, config, variant);

  const embedded = tape.op("Gather", [EMBEDDING, "ids"], { attributes: { axis: 0 } });
  if (tape.isTracked(EMBEDDING)) tape.track(embedded);
  let hidden = embedded;
  for (let layer = 0; layer < config.layers; layer++) {
    hidden = decoderLayer(tape, config, layer, hidden);
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

/** i64 shapes that depend on B and T, given as inputs because Reshape cannot derive them. */
export function shapeInputs(
  config: DecoderConfig,
  batch: number,
  length: number,
): { readonly [name: string]: readonly number[] } {
  const { heads, keyValueHeads, headSize } = config;
  return {
    "shape.queries": [batch, length, heads, headSize],
    "shape.keys": [batch, length, keyValueHeads, headSize],
    "shape.grouped": [batch, keyValueHeads, -1, headSize],
    "shape.heads": [batch, heads, length, headSize],
    "shape.scores": [-1, length, length],
    "shape.groupedScores": [batch, keyValueHeads, -1, length],
  };
}

function declareInputs(
  builder: OnnxGraphBuilder,
  config: DecoderConfig,
  variant: GraphVariant,
): void {
  const half = config.headSize / 2;
  builder.input("ids", "i32", ["N"]);
  builder.input("rows", "i32", ["K"]);
  builder.input("targets", "i32", ["K", 1]);
  builder.input("cosines", "f32", ["T", half]);
  builder.input("sines", "f32", ["T", half]);
  builder.input("mask", "f32", ["T", "T"]);
  for (const [name, shape] of Object.entries(shapeInputs(config, 1, 1))) {
    builder.input(name, "i64", [shape.length]);
  }
  builder.initializer("positions", "i64", [1], new BigInt64Array(1));
  if (variant.tempered) builder.input("inverseTemperatures", "f32", ["K", 1]);
  if (variant.masked) builder.input("keptMask", "f32", ["K", config.vocabularySize]);
  if (variant.pass === "forward") return;
  builder.input("negatedSines", "f32", ["T", half]);
  builder.input("inverse", "i32", ["N"]);
  builder.input("derivatives", "f32", ["K", 1]);
  builder.input("takenScale", "f32", ["K", 1]);
  if (variant.raw) builder.input("rawDerivatives", "f32", ["K", 1]);
  if (variant.entropy) builder.input("entropyDerivatives", "f32", ["K", 1]);
}

function decoderLayer(
  tape: GraphTape,
  config: DecoderConfig,
  layer: number,
  hidden: string,
): string {
  const prefix = `model.layers.${layer}`;
  const [query, key, value, output, gate, up, down] = layerLinears(config, layer).map(
    ({ name }) => `${name}.weight`,
  ) as [string, string, string, string, string, string, string];
  const norm = (input: string, name: string): string =>
    rmsNorm(tape, input, `${prefix}.${name}.weight`, {
      size: config.width,
      epsilon: config.rmsNormEpsilon,
    });

  const normal = norm(hidden, "input_layernorm");
  const mixed = attend(tape, config, prefix, {
    queries: linear(tape, normal, query),
    keys: linear(tape, normal, key),
    values: linear(tape, normal, value),
  });
  // After the last attention no token looks at another: only the asked rows go on.
  const isLast = layer === config.layers - 1;
  const rows = { indices: "rows", inverse: "inverse" };
  const querySize = config.heads * config.headSize;
  const kept = isLast ? gatherRows(tape, mixed, { ...rows, width: querySize }) : mixed;
  const residual = isLast ? gatherRows(tape, hidden, { ...rows, width: config.width }) : hidden;
  const attended = linear(tape, kept, output, residual);
  const normalAttended = norm(attended, "post_attention_layernorm");
  const activated = swiGlu(
    tape,
    linear(tape, normalAttended, gate),
    linear(tape, normalAttended, up),
  );
  return linear(tape, activated, down, attended);
}

/** `[N, H·D]`, `[N, K·D]`, `[N, K·D]` to the attended `[N, H·D]`. */
function attend(
  tape: GraphTape,
  config: DecoderConfig,
  prefix: string,
  projections: { readonly queries: string; readonly keys: string; readonly values: string },
): string {
  const { heads, keyValueHeads, headSize } = config;
  const flat = (headCount: number): string => tape.builder.ints([-1, headCount * headSize]);
  const split = (input: string, shape: string, headCount: number, normName?: string): string => {
    const perHead = reshape(tape, input, shape, flat(headCount));
    const normal =
      normName === undefined || config.modelType !== "qwen3"
        ? perHead
        : rmsNorm(tape, perHead, `${prefix}.self_attn.${normName}.weight`, {
            size: headSize,
            epsilon: config.rmsNormEpsilon,
          });
    return swapTimeAndHeads(tape, normal);
  };
  const table = {
    cosine: "cosines",
    sine: "sines",
    negatedSine: "negatedSines",
    positions: "positions",
  };
  const turnedQueries = rotary(
    tape,
    split(projections.queries, "shape.queries", heads, "q_norm"),
    table,
  );
  const keys = rotary(tape, split(projections.keys, "shape.keys", keyValueHeads, "k_norm"), table);
  const values = split(projections.values, "shape.keys", keyValueHeads);
  const queries = reshape(tape, turnedQueries, "shape.grouped", "shape.heads");
  const attended = attention(tape, queries, keys, values, {
    mask: "mask",
    perHead: "shape.scores",
    grouped: "shape.groupedScores",
    scale: 1 / Math.sqrt(headSize),
  });
  const perHead = reshape(tape, attended, "shape.heads", "shape.grouped");
  return reshape(tape, swapTimeAndHeads(tape, perHead), flat(heads), "shape.queries");
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
