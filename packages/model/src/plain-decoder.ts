/**
 * A decoder in plain loops: what the fast ones must agree with. One sequence, one token at a time,
 * weights as they are (float32), every sum in float64. It shares with the graphs the config, the
 * names of the weights and the rotary frequencies, no computation. Slow on purpose: for tiny decoders.
 */
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import type { DecoderConfig } from "./decoder-config.ts";
import { selectDecoderWeights } from "./decoder-parameters.ts";
import { ropeFrequencies } from "./rope.ts";

/** Keys and values of one layer, `[kvHeads · D]` per position. */
type LayerPast = { readonly keys: Float64Array[]; readonly values: Float64Array[] };

export class PlainDecoder {
  readonly #config: DecoderConfig;
  readonly #weights: TensorMap;
  readonly #frequencies: Float64Array;
  readonly #past: readonly LayerPast[];

  /** @throws WaggleError `MODEL_CORRUPT` where the weights are not those of the config. */
  constructor(config: DecoderConfig, weights: TensorMap) {
    this.#config = config;
    this.#weights = selectDecoderWeights(config, weights);
    this.#frequencies = ropeFrequencies(config);
    this.#past = Array.from({ length: config.layers }, () => ({ keys: [], values: [] }));
  }

  /**
   * Reads one token after those read before.
   * @returns logits `[V]` of the token that follows it.
   * @throws WaggleError `INVALID_ARGUMENT` for an id outside the vocabulary.
   */
  read(tokenId: number): Float64Array {
    const { width, layers, vocabularySize, tiedEmbeddings } = this.#config;
    if (!(tokenId >= 0 && tokenId < vocabularySize)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `a token id must be in [0, ${vocabularySize}), got ${tokenId}; it belongs to another tokenizer`,
      );
    }
    const embedding = this.#weight("model.embed_tokens");
    let x = Float64Array.from(embedding.subarray(tokenId * width, (tokenId + 1) * width));
    for (let layer = 0; layer < layers; layer++) {
      const prefix = `model.layers.${layer}`;
      x = plus(x, this.#attention(layer, this.#norm(x, `${prefix}.input_layernorm`)));
      x = plus(x, this.#feedForward(prefix, this.#norm(x, `${prefix}.post_attention_layernorm`)));
    }
    const head = tiedEmbeddings ? embedding : this.#weight("lm_head");
    return multiply(head, this.#norm(x, "model.norm"));
  }

  /** Every query head attends to all positions so far, through the keys its group shares. */
  #attention(layer: number, x: Float64Array): Float64Array {
    const { heads, keyValueHeads, headSize } = this.#config;
    const prefix = `model.layers.${layer}.self_attn`;
    const { keys, values } = this.#past[layer] as LayerPast;
    const position = keys.length;
    const turned = (side: "q" | "k"): Float64Array =>
      this.#turnHeads(
        multiply(this.#weight(`${prefix}.${side}_proj`), x),
        position,
        `${prefix}.${side}_norm`,
      );
    const queries = turned("q");
    keys.push(turned("k"));
    values.push(multiply(this.#weight(`${prefix}.v_proj`), x));
    const mixed = new Float64Array(heads * headSize);
    for (let head = 0; head < heads; head++) {
      const from = Math.floor((head * keyValueHeads) / heads) * headSize;
      const scores = keys.map((key) => {
        let dot = 0;
        for (let i = 0; i < headSize; i++) {
          dot += (queries[head * headSize + i] as number) * (key[from + i] as number);
        }
        return dot / Math.sqrt(headSize);
      });
      const largest = scores.reduce((most, score) => Math.max(most, score));
      const shares = scores.map((score) => Math.exp(score - largest));
      const total = shares.reduce((sum, share) => sum + share, 0);
      for (const [at, value] of values.entries()) {
        const share = (shares[at] as number) / total;
        for (let i = 0; i < headSize; i++) {
          const to = head * headSize + i;
          mixed[to] = (mixed[to] as number) + share * (value[from + i] as number);
        }
      }
    }
    return multiply(this.#weight(`${prefix}.o_proj`), mixed);
  }

  /** Each head normalized (qwen3), then its pairs (i, i + D/2) turned by position · frequency i. */
  #turnHeads(x: Float64Array, position: number, normName: string): Float64Array {
    const { headSize, modelType } = this.#config;
    const turned = new Float64Array(x.length);
    for (let from = 0; from < x.length; from += headSize) {
      const plain = x.subarray(from, from + headSize);
      const head = modelType === "qwen3" ? this.#norm(plain, normName) : plain;
      for (let i = 0; i < headSize / 2; i++) {
        const angle = position * (this.#frequencies[i] as number);
        const [low, high] = [head[i] as number, head[i + headSize / 2] as number];
        turned[from + i] = low * Math.cos(angle) - high * Math.sin(angle);
        turned[from + i + headSize / 2] = high * Math.cos(angle) + low * Math.sin(angle);
      }
    }
    return turned;
  }

  /** SwiGLU. */
  #feedForward(prefix: string, x: Float64Array): Float64Array {
    const up = multiply(this.#weight(`${prefix}.mlp.up_proj`), x);
    const gated = multiply(this.#weight(`${prefix}.mlp.gate_proj`), x).map(
      (gate, i) => (gate / (1 + Math.exp(-gate))) * (up[i] as number),
    );
    return multiply(this.#weight(`${prefix}.mlp.down_proj`), gated);
  }

  #norm(x: Float64Array, name: string): Float64Array {
    const weight = this.#weight(name);
    const meanSquare = x.reduce((sum, value) => sum + value * value, 0) / x.length;
    const scale = 1 / Math.sqrt(meanSquare + this.#config.rmsNormEpsilon);
    return x.map((value, i) => value * scale * (weight[i] as number));
  }

  #weight(name: string): Float32Array {
    return this.#weights.get(`${name}.weight`)?.data as Float32Array;
  }
}

/** A `[out, in]` matrix times a vector. */
function multiply(matrix: Float32Array, x: Float64Array): Float64Array {
  const y = new Float64Array(matrix.length / x.length);
  for (let row = 0; row < y.length; row++) {
    let sum = 0;
    for (let i = 0; i < x.length; i++) {
      sum += (matrix[row * x.length + i] as number) * (x[i] as number);
    }
    y[row] = sum;
  }
  return y;
}

function plus(a: Float64Array, b: Float64Array): Float64Array<ArrayBuffer> {
  return Float64Array.from(a, (value, i) => value + (b[i] as number));
}
