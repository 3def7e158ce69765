/**
 * Value heads beside the graphs: values = h·Wᵀ + b of the hidden states after the final norm, and
 * their gradients, in plain loops that sum in float64. A head is a single row, so its cost is
 * negligible, and graphs only need to exchange hidden states and their gradient.
 */
import { VALUE_HEAD, valueHeadTensors } from "@waggle/model";
import type { DecoderConfig, ValueHead } from "@waggle/model";
import type { Tensor, TensorMap } from "@waggle/protocol";
import type { AskedToken } from "../batch/packed-tree.ts";

/** The heads of one model, with their gradients. */
export class ValueHeads {
  readonly heads: number;
  /** Updated in place by the optimizer. */
  readonly parameters: TensorMap;
  readonly #width: number;
  #gradients = new Map<string, Float32Array>();
  readonly #weight: Float32Array;
  readonly #bias: Float32Array;

  /** @throws WaggleError `ADAPTER_INCOMPATIBLE` where the heads are for another decoder. */
  constructor(config: DecoderConfig, head: ValueHead) {
    this.heads = head.heads;
    this.parameters = new Map(
      Array.from(valueHeadTensors(head, config), ([name, { shape, data }]): [string, Tensor] => [
        name,
        { shape, data: data.slice() },
      ]),
    );
    this.#width = config.width;
    this.#weight = this.#data(VALUE_HEAD.weight);
    this.#bias = this.#data(VALUE_HEAD.bias);
  }

  /**
   * @param hidden `[K, C]`
   * @param rows the n rows whose values are wanted.
   * @returns `[n·H]`
   */
  outputs(hidden: Float32Array, rows: Int32Array): Float32Array {
    const values = new Float32Array(rows.length * this.heads);
    values.forEach((_, i) => {
      const from = (rows[Math.floor(i / this.heads)] as number) * this.#width;
      const head = i % this.heads;
      let sum = this.#bias[head] as number;
      for (let c = 0; c < this.#width; c++) {
        sum += (hidden[from + c] as number) * (this.#weight[head * this.#width + c] as number);
      }
      values[i] = sum;
    });
    return values;
  }

  /**
   * Gradient of the hidden states.
   * @param derivatives `[n·H]` of the values of `rows`.
   * @param count K.
   * @returns `[K, C]`, zero in other rows.
   */
  hiddenGradient(derivatives: Float32Array, rows: Int32Array, count: number): Float32Array {
    const gradient = new Float32Array(count * this.#width);
    rows.forEach((row, i) => {
      for (let head = 0; head < this.heads; head++) {
        const derivative = derivatives[i * this.heads + head] as number;
        for (let c = 0; c < this.#width; c++) {
          const at = row * this.#width + c;
          const weight = this.#weight[head * this.#width + c] as number;
          gradient[at] = (gradient[at] as number) + derivative * weight;
        }
      }
    });
    return gradient;
  }

  /** Collects `[n·H]` from arrays by sequence; derivatives of tokens that share a row add up. */
  gather(
    values: readonly Float32Array[] | undefined,
    asked: readonly (readonly AskedToken[])[],
  ): Float32Array {
    const part = new Float32Array(asked.length * this.heads);
    asked.forEach((askers, i) => {
      for (const { sequence, token } of askers) {
        for (let head = 0; head < this.heads; head++) {
          const at = i * this.heads + head;
          const value = values?.[sequence]?.[token * this.heads + head] ?? 0;
          part[at] = (part[at] as number) + value;
        }
      }
    });
    return part;
  }

  /** The inverse of `gather`: writes `[n·H]` into arrays by sequence. */
  scatter(
    part: Float32Array,
    asked: readonly (readonly AskedToken[])[],
    values: Float32Array[],
  ): void {
    asked.forEach((askers, i) => {
      const ofRow = part.subarray(i * this.heads, (i + 1) * this.heads);
      for (const { sequence, token } of askers) {
        values[sequence]?.set(ofRow, token * this.heads);
      }
    });
  }

  /** Accumulated gradients by parameter name; an absent one is zero. */
  get gradients(): ReadonlyMap<string, Float32Array> {
    return this.#gradients;
  }

  /** Resets the gradients to zero. */
  dropGradients(): void {
    this.#gradients = new Map();
  }

  /** Adds the gradients of weights and biases. */
  addGradients(hidden: Float32Array, derivatives: Float32Array, rows: Int32Array): void {
    const ofWeight = new Float64Array(this.#weight.length);
    const ofBias = new Float64Array(this.heads);
    rows.forEach((row, i) => {
      for (let head = 0; head < this.heads; head++) {
        const derivative = derivatives[i * this.heads + head] as number;
        ofBias[head] = (ofBias[head] as number) + derivative;
        for (let c = 0; c < this.#width; c++) {
          const at = head * this.#width + c;
          const input = hidden[row * this.#width + c] as number;
          ofWeight[at] = (ofWeight[at] as number) + derivative * input;
        }
      }
    });
    for (const [name, part] of [
      [VALUE_HEAD.weight, ofWeight],
      [VALUE_HEAD.bias, ofBias],
    ] as const) {
      const sum = this.#gradients.get(name) ?? new Float32Array(part.length);
      part.forEach((value, i) => (sum[i] = (sum[i] as number) + value));
      this.#gradients.set(name, sum);
    }
  }

  #data(name: string): Float32Array {
    return (this.parameters.get(name) as Tensor).data;
  }
}

/** Zeros in the shape of `TokenOutputs.values`: `[T·H]` for each sequence. */
export function emptyValues(
  sequences: readonly { readonly tokenIds: readonly number[] }[],
  heads: number,
): Float32Array[] {
  return sequences.map(({ tokenIds }) => new Float32Array(tokenIds.length * heads));
}

/** Whether a token has a non-zero derivative. @param values `[T·H]` for each sequence. */
export function hasValueDerivative(
  values: readonly Float32Array[] | undefined,
  heads: number,
  { sequence, token }: AskedToken,
): boolean {
  const ofToken = values?.[sequence]?.subarray(token * heads, (token + 1) * heads);
  return ofToken?.some((value) => value !== 0) ?? false;
}
