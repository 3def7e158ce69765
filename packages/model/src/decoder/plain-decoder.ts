/**
 * A decoder in plain loops, the reference for the fast ones: one sequence, one token at a time,
 * float32 weights, every sum in float64. It shares the description of a decoder with the graphs
 * (config, names, rotary frequencies) but no computation. Slow; for tiny decoders.
 */
import { WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { architectureOf } from "./architecture.ts";
import type { Architecture } from "./architecture.ts";
import { layerKind } from "./decoder-config.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { selectDecoderWeights } from "./decoder-parameters.ts";
import { ropeFrequencies } from "./rope.ts";

/** A layer's cache: a vector per position. Attention fills both, a convolution only `keys`. */
type LayerPast = { readonly keys: Float64Array[]; readonly values: Float64Array[] };

/** The reference decoder; keeps the cache of one sequence. */
export class PlainDecoder {
  readonly #config: DecoderConfig;
  readonly #architecture: Architecture;
  readonly #weights: TensorMap;
  readonly #past: readonly LayerPast[];

  /** @throws WaggleError `MODEL_CORRUPT` if the weights do not match the config. */
  constructor(config: DecoderConfig, weights: TensorMap) {
    this.#config = config;
    this.#architecture = architectureOf(config);
    this.#weights = selectDecoderWeights(config, weights);
    this.#past = Array.from({ length: config.layers }, () => ({ keys: [], values: [] }));
  }

  /**
   * Reads one more token.
   * @returns logits `[V]` of the next token.
   * @throws WaggleError `INVALID_ARGUMENT` for an id outside the vocabulary.
   */
  read(tokenId: number): Float64Array {
    return this.logits(this.readHidden(tokenId));
  }

  /**
   * Reads a sequence.
   * @returns `[T − 1]` log-probs of each token after the first, in nats.
   */
  readLogProbs(tokenIds: readonly number[]): number[] {
    return tokenIds.slice(1).map((next, at) => {
      const logits = this.read(tokenIds[at] as number);
      const largest = logits.reduce((most, one) => Math.max(most, one), -Infinity);
      const sum = logits.reduce((total, logit) => total + Math.exp(logit - largest), 0);
      return (logits[next] as number) - largest - Math.log(sum);
    });
  }

  /**
   * Like `read`, without the product with the vocabulary.
   * @param position for rotary embeddings. Default: the number of tokens read before.
   * @returns the last layer's output after the final norm, `[C]`.
   */
  readHidden(tokenId: number, position?: number): Float64Array {
    const { width, layers, vocabularySize } = this.#config;
    const { mixerNorm, feedForwardNorm, outputNorms, finalNorm } = this.#architecture;
    if (!(tokenId >= 0 && tokenId < vocabularySize)) {
      throw new WaggleError(
        "INVALID_ARGUMENT",
        `token id ${tokenId} is outside the vocabulary [0, ${vocabularySize}); it belongs to another tokenizer`,
      );
    }
    const embedding = this.#weight("model.embed_tokens");
    const scale = this.#architecture.embeddingScale(this.#config);
    let x = Float64Array.from(embedding.subarray(tokenId * width, (tokenId + 1) * width));
    x = x.map((value) => value * scale);
    for (let layer = 0; layer < layers; layer++) {
      const prefix = `model.layers.${layer}`;
      const normed = this.#norm(x, `${prefix}.${mixerNorm}`);
      const mixed =
        layerKind(this.#config, layer) === "convolution"
          ? this.#convolution(layer, normed)
          : this.#attention(layer, normed, position);
      x = plus(x, outputNorms ? this.#norm(mixed, `${prefix}.${outputNorms.mixer}`) : mixed);
      const fed = this.#feedForward(prefix, this.#norm(x, `${prefix}.${feedForwardNorm}`));
      x = plus(x, outputNorms ? this.#norm(fed, `${prefix}.${outputNorms.feedForward}`) : fed);
    }
    return this.#norm(x, finalNorm);
  }

  /** Logits `[V]` from the output of `readHidden`. */
  logits(hidden: Float64Array): Float64Array {
    const { tiedEmbeddings } = this.#config;
    return multiply(this.#weight(tiedEmbeddings ? "model.embed_tokens" : "lm_head"), hidden);
  }

  /** Every query head attends to the positions it can see, through the keys that its group shares. */
  #attention(layer: number, x: Float64Array, given: number | undefined): Float64Array {
    const { heads, keyValueHeads, headSize, queryScalar, slidingWindow } = this.#config;
    const prefix = `model.layers.${layer}.self_attn`;
    const past = this.#past[layer] as LayerPast;
    const position = given ?? past.keys.length;
    const queries = this.#turned(layer, x, "query", position);
    past.keys.push(this.#turned(layer, x, "key", position));
    past.values.push(this.#linear(`${prefix}.v_proj`, x));
    const isSliding = layerKind(this.#config, layer) === "sliding";
    const seen = isSliding ? (slidingWindow as number) : past.keys.length;
    const [keys, values] = [past.keys.slice(-seen), past.values.slice(-seen)];
    const mixed = new Float64Array(heads * headSize);
    for (let head = 0; head < heads; head++) {
      const from = Math.floor((head * keyValueHeads) / heads) * headSize;
      const scores = keys.map((key) => {
        let dot = 0;
        for (let i = 0; i < headSize; i++) {
          dot += (queries[head * headSize + i] as number) * (key[from + i] as number);
        }
        return dot / Math.sqrt(queryScalar ?? headSize);
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
    return this.#linear(`model.layers.${layer}.${this.#architecture.outputProjection}`, mixed);
  }

  /** Heads of a projection, normalized if the type does so; then pairs (i, i + D/2) are rotated. */
  #turned(layer: number, x: Float64Array, side: "query" | "key", position: number): Float64Array {
    const { headSize } = this.#config;
    const kind = layerKind(this.#config, layer);
    const prefix = `model.layers.${layer}.self_attn`;
    const normName = this.#architecture.headNorms?.[side];
    const frequencies = ropeFrequencies(this.#config, kind === "sliding" ? kind : "attention");
    const projected = this.#linear(`${prefix}.${side === "query" ? "q" : "k"}_proj`, x);
    const turned = new Float64Array(projected.length);
    for (let from = 0; from < projected.length; from += headSize) {
      const plain = projected.subarray(from, from + headSize);
      const head = normName === undefined ? plain : this.#norm(plain, `${prefix}.${normName}`);
      for (let i = 0; i < headSize / 2; i++) {
        const angle = kind === "unrotated" ? 0 : position * (frequencies[i] as number);
        const [low, high] = [head[i] as number, head[i + headSize / 2] as number];
        turned[from + i] = low * Math.cos(angle) - high * Math.sin(angle);
        turned[from + i + headSize / 2] = high * Math.cos(angle) + low * Math.sin(angle);
      }
    }
    return turned;
  }

  /** Gated before and after; each channel sums its last inputs, weighted tap by tap. */
  #convolution(layer: number, x: Float64Array): Float64Array {
    const { width, convolutionSize } = this.#config;
    const taps = convolutionSize as number;
    const prefix = `model.layers.${layer}.conv`;
    const kernel = this.#weight(`${prefix}.conv`);
    const projected = this.#linear(`${prefix}.in_proj`, x);
    const third = (index: number): Float64Array =>
      projected.slice(index * width, (index + 1) * width);
    const { keys: inputs } = this.#past[layer] as LayerPast;
    inputs.push(times(third(0), third(2)));
    const sum = new Float64Array(width).map((_, channel) => {
      let total = 0;
      for (let tap = 0; tap < taps; tap++) {
        const input = inputs[inputs.length - taps + tap]?.[channel] ?? 0;
        total += (kernel[channel * taps + tap] as number) * input;
      }
      return total;
    });
    return this.#linear(`${prefix}.out_proj`, times(third(1), sum));
  }

  /** down(act(gate) · up). */
  #feedForward(prefix: string, x: Float64Array): Float64Array {
    const { feedForward, activation } = this.#architecture;
    const up = this.#linear(`${prefix}.${feedForward.up}`, x);
    const gate = this.#linear(`${prefix}.${feedForward.gate}`, x);
    const activated = gate.map(activation === "silu" ? silu : geluTanh);
    return this.#linear(`${prefix}.${feedForward.down}`, times(activated, up));
  }

  #linear(name: string, x: Float64Array): Float64Array {
    const y = multiply(this.#weight(name), x);
    const bias = this.#weights.get(`${name}.bias`)?.data;
    return bias === undefined ? y : plus(y, bias);
  }

  #norm(x: Float64Array, name: string): Float64Array {
    const weight = this.#weight(name);
    const { normOffset } = this.#architecture;
    const meanSquare = x.reduce((sum, value) => sum + value * value, 0) / x.length;
    const scale = 1 / Math.sqrt(meanSquare + this.#config.rmsNormEpsilon);
    return x.map((value, i) => value * scale * (normOffset + (weight[i] as number)));
  }

  #weight(name: string): Float32Array {
    return this.#weights.get(`${name}.weight`)?.data as Float32Array;
  }
}

function silu(x: number): number {
  return x / (1 + Math.exp(-x));
}

/** Source: Hendrycks and Gimpel 2016, arXiv 1606.08415, the tanh approximation. */
function geluTanh(x: number): number {
  return 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x ** 3)));
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

function plus(a: Float64Array, b: Float64Array | Float32Array): Float64Array<ArrayBuffer> {
  return Float64Array.from(a, (value, i) => value + (b[i] as number));
}

function times(a: Float64Array, b: Float64Array): Float64Array {
  return a.map((value, i) => value * (b[i] as number));
}
