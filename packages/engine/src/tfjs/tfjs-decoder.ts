/**
 * The decoder's forward pass in TensorFlow.js, to be differentiated by the library: whole
 * sequences, no cache. The readable reference for the ONNX engine, not a fast one.
 */
import * as tf from "@tensorflow/tfjs";
import { layerKind, layerLinears, loraName, ropeTables, VALUE_HEAD } from "@waggle/model";
import type { DecoderConfig, Linear } from "@waggle/model";
import { causalView, treeView } from "../batch/attention-view.ts";
import type { QueryBlock } from "../batch/attention-view.ts";
import type { Microbatch } from "../batch/microbatch.ts";
import { batchProduct, frozenLinear, linear, selectRows } from "./tfjs-operations.ts";

/** Parameters on the device. Those in `trained` get gradients and replace those in `frozen`. */
export type TfjsParameters = {
  readonly frozen: ReadonlyMap<string, tf.Tensor>;
  readonly trained: ReadonlyMap<string, tf.Tensor>;
  /** alpha/rank of the adapter, `null` without one. */
  readonly loraScale: number | null;
};

/** The part of a microbatch that the decoder reads. */
type Layout = Pick<Microbatch, "batch" | "length" | "ids" | "parents" | "positions">;

type Context = {
  readonly config: DecoderConfig;
  readonly parameters: TfjsParameters;
  readonly batch: number;
  readonly length: number;
  /** `[B, 1, T, T]`, B may be 1 for all rows; added to scores. */
  readonly mask: tf.Tensor;
};

const EMBEDDING = "model.embed_tokens.weight";

/** The decoder's outputs for each token of a microbatch. */
type TfjsStates = {
  /** `[B·T, V]` */
  readonly logits: tf.Tensor2D;
  /** `[B·T, C]`, after the final norm. */
  readonly hidden: tf.Tensor2D;
};

/** Final hidden states and logits of all tokens of a microbatch. Call inside `tf.tidy`. */
export function tfjsStates(
  config: DecoderConfig,
  parameters: TfjsParameters,
  { batch, length, ids, parents, positions }: Layout,
): TfjsStates {
  const [block] = parents === null ? causalView(length, 1) : treeView(parents, length, 1);
  const { data, shape } = (block as QueryBlock).mask;
  const mask = tf.tensor(data, [...shape]);
  const context: Context = { config, parameters, batch, length, mask };
  const rope = ropeConstants(context, positions);
  let x = selectRows(parameter(context, EMBEDDING) as tf.Tensor2D, ids);
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `model.layers.${layer}`;
    const linears = layerLinears(config, layer);
    const normal = rmsNorm(context, x, `${prefix}.input_layernorm.weight`);
    const turns = layerKind(config, layer) === "unrotated" ? null : rope;
    x = tf.add(x, attention(context, linears, `${prefix}.self_attn`, normal, turns));
    const fed = rmsNorm(context, x, `${prefix}.post_attention_layernorm.weight`);
    x = tf.add(x, feedForward(context, linears, fed));
  }
  const head = config.tiedEmbeddings ? EMBEDDING : "lm_head.weight";
  const hidden = rmsNorm(context, x, "model.norm.weight");
  return { hidden, logits: product(context, hidden, head) };
}

/** `[N, H]` values of hidden states `[N, C]`. */
export function tfjsValues(
  { trained }: Pick<TfjsParameters, "trained">,
  hidden: tf.Tensor2D,
): tf.Tensor2D {
  const weight = trained.get(VALUE_HEAD.weight) as tf.Tensor2D;
  return tf.add(linear(hidden, weight), trained.get(VALUE_HEAD.bias) as tf.Tensor1D);
}

function parameter({ parameters }: Context, name: string): tf.Tensor {
  return (parameters.trained.get(name) ?? parameters.frozen.get(name)) as tf.Tensor;
}

function product(context: Context, x: tf.Tensor2D, name: string): tf.Tensor2D {
  const weight = parameter(context, name) as tf.Tensor2D;
  return context.parameters.trained.has(name) ? linear(x, weight) : frozenLinear(x, weight);
}

function adapted(context: Context, x: tf.Tensor2D, { name, hasBias }: Linear): tf.Tensor2D {
  const plain = product(context, x, `${name}.weight`);
  const y =
    hasBias === true ? tf.add<tf.Tensor2D>(plain, parameter(context, `${name}.bias`)) : plain;
  const { loraScale } = context.parameters;
  if (loraScale === null) return y;
  const inner = product(context, x, loraName(name, "A"));
  return tf.add(y, tf.mul(product(context, inner, loraName(name, "B")), loraScale));
}

/** Source: Zhang and Sennrich 2019, arXiv 1910.07467. Over the last axis. */
function rmsNorm<T extends tf.Tensor>(context: Context, x: T, weight: string): T {
  const meanSquare = tf.mean(tf.square(x), -1, true);
  const scale = tf.rsqrt(tf.add(meanSquare, context.config.rmsNormEpsilon));
  return tf.mul(tf.mul(x, scale), parameter(context, weight));
}

type Rope = {
  readonly cosines: tf.Tensor;
  readonly sines: tf.Tensor;
  readonly halves: tf.Tensor2D;
};

/** Tables `[T, 1, D]`, or `[B, T, 1, D]`, with both halves, and the matrix that maps (a, b) to (-b, a). */
function ropeConstants(
  { config, batch, length }: Context,
  positions: Microbatch["positions"],
): Rope {
  const rows =
    positions?.reduce((most, position) => Math.max(most, position + 1), length) ?? length;
  const { cosines, sines } = ropeTables(config, rows);
  const half = config.headSize / 2;
  const table = (data: Float32Array): tf.Tensor => {
    if (positions === null) return tf.tile(tf.tensor3d(data, [length, 1, half]), [1, 1, 2]);
    const taken = new Float32Array(positions.length * half);
    positions.forEach((position, place) => {
      taken.set(data.subarray(position * half, (position + 1) * half), place * half);
    });
    return tf.tile(tf.tensor4d(taken, [batch, length, 1, half]), [1, 1, 1, 2]);
  };
  const halves = new Float32Array(config.headSize ** 2);
  for (let i = 0; i < half; i++) {
    // row: output element, as in a linear
    halves[i * config.headSize + half + i] = -1;
    halves[(half + i) * config.headSize + i] = 1;
  }
  return {
    cosines: table(cosines),
    sines: table(sines),
    halves: tf.tensor2d(halves, [config.headSize, config.headSize]),
  };
}

function rotate(x: tf.Tensor4D, rope: Rope | null): tf.Tensor4D {
  if (rope === null) return x;
  const { cosines, sines, halves } = rope;
  const [batch, length, heads, size] = x.shape;
  const rows = tf.reshape(x, [batch * length * heads, size]) as tf.Tensor2D;
  const turned = tf.reshape(frozenLinear(rows, halves), x.shape);
  return tf.add(tf.mul(x, cosines), tf.mul(turned, sines));
}

function attention(
  context: Context,
  linears: readonly Linear[],
  prefix: string,
  x: tf.Tensor2D,
  rope: Rope | null,
): tf.Tensor2D {
  const { config, batch, length } = context;
  const { heads, keyValueHeads, headSize } = config;
  const [query, key, value, output] = linears as [Linear, Linear, Linear, Linear];
  const split = (of: Linear, count: number): tf.Tensor4D =>
    tf.reshape(adapted(context, x, of), [batch, length, count, headSize]);
  const normalized = (heads4: tf.Tensor4D, weight: string): tf.Tensor4D =>
    config.modelType === "qwen3" ? rmsNorm(context, heads4, `${prefix}.${weight}.weight`) : heads4;
  const q = rotate(normalized(split(query, heads), "q_norm"), rope);
  const k = rotate(normalized(split(key, keyValueHeads), "k_norm"), rope);
  const v = split(value, keyValueHeads);
  // queries of one key head are stacked: [B·kv, group·T, D]
  const groups = batch * keyValueHeads;
  const group = heads / keyValueHeads;
  const queries = tf.reshape(tf.transpose(q, [0, 2, 1, 3]), [groups, group * length, headSize]);
  const keys = tf.reshape(tf.transpose(k, [0, 2, 3, 1]), [groups, headSize, length]);
  const values = tf.reshape(tf.transpose(v, [0, 2, 1, 3]), [groups, length, headSize]);
  const scores = tf.mul(
    batchProduct(queries as tf.Tensor3D, keys as tf.Tensor3D),
    1 / Math.sqrt(headSize),
  );
  const masked = tf.add(tf.reshape(scores, [batch, heads, length, length]), context.mask);
  const weights = tf.reshape(tf.softmax(masked), [groups, group * length, length]);
  const attended = batchProduct(weights as tf.Tensor3D, values as tf.Tensor3D);
  const rows = tf.transpose(tf.reshape(attended, [batch, heads, length, headSize]), [0, 2, 1, 3]);
  return adapted(
    context,
    tf.reshape(rows, [batch * length, heads * headSize]) as tf.Tensor2D,
    output,
  );
}

/** SwiGLU. Source: Shazeer 2020, arXiv 2002.05202. */
function feedForward(context: Context, linears: readonly Linear[], x: tf.Tensor2D): tf.Tensor2D {
  const [gate, up, down] = linears.slice(4) as [Linear, Linear, Linear];
  const gated = adapted(context, x, gate);
  const activated = tf.mul(gated, tf.sigmoid(gated));
  return adapted(context, tf.mul(activated, adapted(context, x, up)), down);
}
