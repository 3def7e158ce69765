/**
 * Loss scaling for float16 products (Micikevicius et al. 2018, Mixed Precision Training,
 * arXiv:1710.03740, section 3.2): derivatives are multiplied by a power of two before a graph runs,
 * and its gradients divided by it afterwards, so that small ones do not become zero.
 * Differs from it: the scale is not a state of training. Each run derives it from its own
 * derivatives; a run whose gradients overflow is repeated at a smaller scale, and no step is
 * skipped. So the loss may be a sum or a mean, and training resumes exactly.
 */
import type { Tensor } from "@waggle/protocol";
import { heldArray } from "./held-tensor.ts";
import type { HeldTensor } from "./held-tensor.ts";
import type { ProductFormat } from "../graphs/matrix-products.ts";
import type { GraphFeed, OnnxGraph } from "../onnx/onnx-graph.ts";

/**
 * Exponents of two: initial size of a run's largest derivative, and its reduction after an
 * overflow.
 */
const START = 4;
const RETREAT = 4;
/** Exponent of two. An overflow at a smaller scale has another cause. */
const LEAST = -8;

const NONE: ReadonlySet<string> = new Set();

type Named = Iterable<readonly [string, Tensor]>;

/** One run of a graph. Its outputs, except `others`, are linear in all inputs except `feeds`. */
export type GradientRun = {
  readonly feeds: ReadonlyMap<string, GraphFeed>;
  /** Derivatives from which the gradients start; they determine the scale. */
  readonly derivatives: ReadonlyMap<string, Tensor>;
  /** Gradients to which the run only adds. */
  readonly carried?: Named;
  readonly others?: ReadonlySet<string>;
};

/** The loss scale of one runner. */
export class GradientScale {
  readonly #products: ProductFormat;
  #exponent = START;
  #overflows = 0;

  constructor(products: ProductFormat) {
    this.#products = products;
  }

  /** Runs repeated since `reset` because a gradient was not finite. */
  get overflows(): number {
    return this.#overflows;
  }

  /** Call before the gradients of another step: the scale is not carried over. */
  reset(): void {
    this.#exponent = START;
    this.#overflows = 0;
  }

  /**
   * Runs a graph with one derivative and returns one gradient as a held tensor: on the device in f32,
   * where nothing is scaled, otherwise an array.
   * @param feeds all inputs but the derivative.
   */
  async runHolding(
    graph: OnnxGraph,
    feeds: ReadonlyMap<string, GraphFeed>,
    [name, derivative]: readonly [string, HeldTensor],
    held: string,
  ): ReturnType<OnnxGraph["runHolding"]> {
    if (this.#products === "f32") {
      return graph.runHolding(new Map([...feeds, [name, derivative.feed]]), held);
    }
    const { shape } = derivative.feed;
    const derivatives = new Map([[name, { shape, data: await derivative.read() }]]);
    const outputs = await this.run(graph, { feeds, derivatives });
    return { outputs, held: heldArray({ shape, data: outputs.get(held) as Float32Array }) };
  }

  /** @returns the outputs. Gradients that overflow at every scale stay infinite or NaN. */
  async run(
    graph: OnnxGraph,
    { feeds, derivatives, carried = [], others = NONE }: GradientRun,
  ): Promise<ReadonlyMap<string, Float32Array>> {
    const linear = [...derivatives, ...carried];
    const largest = this.#products === "f32" ? 0 : largestOf(derivatives);
    if (largest === 0 || !Number.isFinite(largest)) {
      return graph.run(new Map([...feeds, ...linear]));
    }
    for (;;) {
      const exponent = Math.max(
        -120,
        Math.min(120, this.#exponent - Math.ceil(Math.log2(largest))),
      );
      const factor = 2 ** exponent;
      const scaled = linear.map(([name, { shape, data }]): [string, Tensor] => [
        name,
        { shape, data: data.map((value) => value * factor) },
      ]);
      const outputs = await graph.run(new Map([...feeds, ...scaled]));
      let isFinite = true;
      for (const [name, data] of outputs) {
        if (!others.has(name)) isFinite = multiply(data, 1 / factor) && isFinite;
      }
      if (isFinite || this.#exponent <= LEAST) return outputs;
      this.#exponent -= RETREAT;
      this.#overflows += 1;
    }
  }
}

function largestOf(derivatives: ReadonlyMap<string, Tensor>): number {
  let largest = 0;
  for (const { data } of derivatives.values()) {
    for (const value of data) largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

/** Multiplies in place. @returns whether all results are finite. */
function multiply(data: Float32Array, factor: number): boolean {
  // zero times a number is zero, except for NaN and infinity
  let zero = 0;
  for (let i = 0; i < data.length; i++) {
    const value = data[i] as number;
    zero += 0 * value;
    data[i] = value * factor;
  }
  return zero === 0;
}
