/**
 * The loss scale of float16 products (Micikevicius et al. 2018, Mixed Precision Training,
 * arXiv:1710.03740, section 3.2): derivatives are multiplied by a power of two before a graph runs and
 * its gradients divided by it after, so that small ones do not become zero. Not a state that training
 * carries along: the scale of each run follows from its own derivatives, a run whose gradients leave
 * float16's range is repeated with smaller ones, and no step is left out for it. So the loss may be a
 * sum or a mean, a resumed run goes on as it would have, and the steps are those of float32.
 */
import type { Tensor } from "@waggle/protocol";
import { heldArray } from "./held-tensor.ts";
import type { HeldTensor } from "./held-tensor.ts";
import type { ProductFormat } from "../graphs/matrix-products.ts";
import type { GraphFeed, OnnxGraph } from "../onnx/onnx-graph.ts";

/** Of two: what the largest derivative of a run becomes at first, and less by after an overflow. */
const START = 4;
const RETREAT = 4;
/** Of two: an overflow below is not the scale's. */
const LEAST = -8;

const NONE: ReadonlySet<string> = new Set();

type Named = Iterable<readonly [string, Tensor]>;

/** One run of a graph whose outputs, but for those of `others`, are linear in what is not `feeds`. */
export type GradientRun = {
  readonly feeds: ReadonlyMap<string, GraphFeed>;
  /** Where its gradients begin. */
  readonly derivatives: ReadonlyMap<string, Tensor>;
  /** Gradients that the run only adds to. */
  readonly carried?: Named;
  readonly others?: ReadonlySet<string>;
};

export class GradientScale {
  readonly #products: ProductFormat;
  #exponent = START;
  #overflows = 0;

  constructor(products: ProductFormat) {
    this.#products = products;
  }

  /** Runs that were repeated since `reset`, with smaller derivatives, as a gradient was not finite. */
  get overflows(): number {
    return this.#overflows;
  }

  /** Before gradients of another step: what was learned of its range is that step's alone. */
  reset(): void {
    this.#exponent = START;
    this.#overflows = 0;
  }

  /**
   * A run with one derivative, one of whose gradients stays on the device where nothing is scaled.
   * @param feeds without the derivative.
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

  /** @returns the outputs; gradients that are not finite at any scale stay so. */
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

/** In place. @returns whether all were finite. */
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
