/**
 * The slow twin of the engines for tests: one sequence through a decoder in plain float64 loops.
 * Shares no code with the graphs but the rotary frequencies; the contract checks both it and the
 * engines against PyTorch's values.
 */
import { ropeFrequencies } from "@waggle/model";
import type { DecoderConfig } from "@waggle/model";
import type { TensorMap, TrainSequence } from "@waggle/protocol";

type Vector = number[];

/** The outputs of the TrainEngine port for one sequence, `[T]` each, and logits `[T, V]`. */
export type PlainOutputs = {
  readonly logits: readonly Vector[];
  readonly logProb: Vector;
  readonly rawLogProb: Vector;
  readonly entropy: Vector;
  readonly sumSquaredProb: Vector;
};

export function plainOutputs(
  config: DecoderConfig,
  weights: TensorMap,
  sequence: TrainSequence,
): PlainOutputs {
  const logits = plainLogits(config, weights, sequence.tokenIds);
  const zeros = (): Vector => sequence.tokenIds.map(() => 0);
  const outputs = {
    logProb: zeros(),
    rawLogProb: zeros(),
    entropy: zeros(),
    sumSquaredProb: zeros(),
  };
  for (let t = 1; t < sequence.tokenIds.length; t++) {
    const taken = sequence.tokenIds[t] as number;
    const given = sequence.temperatures ?? 1;
    const temperature = typeof given === "number" ? given : (given[t] as number);
    const kept = sequence.keptTokenIds?.[t] ?? null;
    const row = logits[t - 1] as Vector;
    const raw = logSoftmax(row);
    const logProbs = logSoftmax(
      row.map((z, v) => (kept === null || kept.includes(v) ? z / temperature : -Infinity)),
    );
    outputs.logProb[t] = logProbs[taken] as number;
    outputs.rawLogProb[t] = raw[taken] as number;
    const finite = logProbs.filter((value) => value !== -Infinity);
    outputs.entropy[t] = -sum(finite.map((value) => Math.exp(value) * value));
    outputs.sumSquaredProb[t] = sum(finite.map((value) => Math.exp(2 * value)));
  }
  return { logits, ...outputs };
}

function plainLogits(
  config: DecoderConfig,
  weights: TensorMap,
  tokenIds: readonly number[],
): Vector[] {
  const { width, heads, keyValueHeads, headSize, rmsNormEpsilon: epsilon } = config;
  const data = (name: string): Float32Array => weights.get(name)?.data ?? new Float32Array();
  const embedding = data("model.embed_tokens.weight");
  const frequencies = ropeFrequencies(config);
  let hidden = tokenIds.map((id) => [...embedding.subarray(id * width, (id + 1) * width)]);
  for (let layer = 0; layer < config.layers; layer++) {
    const at = (name: string): Float32Array => data(`model.layers.${layer}.${name}.weight`);
    const normal = hidden.map((x) => norm(x, at("input_layernorm"), epsilon));
    const project = (name: string, count: number, normName: string | null): Vector[][] =>
      normal.map((x, position) =>
        split(multiply(at(`self_attn.${name}`), x), count).map((head) => {
          if (normName === null) return head;
          const isNormed = config.modelType === "qwen3";
          const scaled = isNormed ? norm(head, at(`self_attn.${normName}`), epsilon) : head;
          return turn(scaled, position, frequencies);
        }),
      );
    const queries = project("q_proj", heads, "q_norm");
    const keys = project("k_proj", keyValueHeads, "k_norm");
    const values = project("v_proj", keyValueHeads, null);
    hidden = hidden.map((x, t) => {
      const mixed = (queries[t] as Vector[]).flatMap((query, head) => {
        const shared = Math.floor(head / (heads / keyValueHeads));
        const past = keys.slice(0, t + 1).map((key) => key[shared] as Vector);
        const scores = past.map((key) => dot(query, key) / Math.sqrt(headSize));
        const shares = logSoftmax(scores).map(Math.exp);
        const seen = values.map((value) => value[shared] as Vector);
        return query.map((_, i) =>
          sum(shares.map((share, s) => share * ((seen[s] as Vector)[i] as number))),
        );
      });
      const attended = plus(x, multiply(at("self_attn.o_proj"), mixed));
      const fed = norm(attended, at("post_attention_layernorm"), epsilon);
      const up = multiply(at("mlp.up_proj"), fed);
      const gated = multiply(at("mlp.gate_proj"), fed).map(
        (g, i) => (g / (1 + Math.exp(-g))) * (up[i] as number),
      );
      return plus(attended, multiply(at("mlp.down_proj"), gated));
    });
  }
  const head = config.tiedEmbeddings ? embedding : data("lm_head.weight");
  return hidden.map((x) => multiply(head, norm(x, data("model.norm.weight"), epsilon)));
}

/** Pairs (i, i + D/2) turned by position · frequency i. */
function turn(head: Vector, position: number, frequencies: Float64Array): Vector {
  const half = head.length / 2;
  return head.map((value, i) => {
    const angle = position * (frequencies[i % half] as number);
    const partner = i < half ? -(head[i + half] as number) : (head[i - half] as number);
    return value * Math.cos(angle) + partner * Math.sin(angle);
  });
}

function norm(x: Vector, weight: Float32Array, epsilon: number): Vector {
  const scale = 1 / Math.sqrt(dot(x, x) / x.length + epsilon);
  return x.map((value, i) => value * scale * (weight[i] as number));
}

/** A `[out, in]` matrix times a vector. */
function multiply(matrix: Float32Array, x: Vector): Vector {
  const rows = matrix.length / x.length;
  return Array.from({ length: rows }, (_, row) =>
    sum(x.map((value, i) => value * (matrix[row * x.length + i] as number))),
  );
}

function split(x: Vector, parts: number): Vector[] {
  const size = x.length / parts;
  return Array.from({ length: parts }, (_, part) => x.slice(part * size, (part + 1) * size));
}

function logSoftmax(x: Vector): Vector {
  const largest = Math.max(...x);
  const normalizer = largest + Math.log(sum(x.map((value) => Math.exp(value - largest))));
  return x.map((value) => value - normalizer);
}

function dot(a: Vector, b: Vector): number {
  return sum(a.map((value, i) => value * (b[i] as number)));
}

function plus(a: Vector, b: Vector): Vector {
  return a.map((value, i) => value + (b[i] as number));
}

function sum(x: Vector): number {
  return x.reduce((total, value) => total + value, 0);
}
