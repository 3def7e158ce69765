/**
 * Reverse-mode differentiation that emits ONNX nodes. While a graph is built, every operation
 * records a rule that turns the gradient of its output into gradients of its inputs; `backward`
 * emits the rules in reverse. It handles names of tensors, not shapes; a decoder's operations are
 * in `tape-operations.ts`.
 */
import type { OnnxGraphBuilder, OnnxNodeOptions } from "@waggle/model";
import { MatrixProducts } from "./matrix-products.ts";
import type { ProductFormat } from "./matrix-products.ts";

/** Emits the nodes that carry the gradient of an output to the inputs of its operation. */
export type GradientRule = (outputGradient: string) => void;

/** Properties of the device that a graph is built for. */
export type GraphTraits = {
  /** Whether SimplifiedLayerNormalization's second output can be used. */
  readonly savesNormScale: boolean;
  /** Whether FusedMatMul, Sum and LogSoftmax run there; otherwise other nodes replace them. */
  readonly hasAllKernels: boolean;
  /** Format of the products of linears and logits. */
  readonly products: ProductFormat;
};

export class GraphTape {
  readonly builder: OnnxGraphBuilder;
  readonly savesNormScale: boolean;
  readonly hasAllKernels: boolean;
  /** Products of linears and logits. */
  readonly products: MatrixProducts;
  /** Products in float32, whatever `products` uses. */
  readonly exactProducts: MatrixProducts;
  readonly #rules: { readonly output: string; readonly rule: GradientRule }[] = [];
  readonly #gradients = new Map<string, string>();
  readonly #tracked = new Set<string>();
  readonly #rows = new Set<string>();

  constructor(builder: OnnxGraphBuilder, { savesNormScale, hasAllKernels, products }: GraphTraits) {
    this.builder = builder;
    this.savesNormScale = savesNormScale;
    this.hasAllKernels = hasAllKernels;
    this.products = new MatrixProducts(builder, products);
    this.exactProducts = new MatrixProducts(builder, "f32");
  }

  /** Marks `name` as a tensor whose gradient is wanted. */
  track(name: string): void {
    this.#tracked.add(name);
  }

  isTracked(name: string): boolean {
    return this.#tracked.has(name);
  }

  /** Adds one node with one output, without recording it. */
  op(opType: string, inputs: readonly string[], options: OnnxNodeOptions = {}): string {
    return this.builder.op(opType, inputs, options);
  }

  /** Sum of one or more tensors of the same shape. */
  sum(terms: readonly string[]): string {
    if (terms.length > 2 && this.hasAllKernels) return this.op("Sum", terms);
    return terms.reduce((sum, term) => this.op("Add", [sum, term]));
  }

  /** A constant `[1, width]` of equal numbers, created once. */
  row(value: number, width: number): string {
    const name = `row_${value}_${width}`;
    if (!this.#rows.has(name)) {
      this.builder.initializer(name, "f32", [1, width], new Float32Array(width).fill(value));
      this.#rows.add(name);
    }
    return name;
  }

  /** Records how `output` depends on `inputs`. Without a tracked input, it is a constant. */
  record(output: string, inputs: readonly string[], rule: GradientRule): void {
    if (!inputs.some((input) => this.#tracked.has(input))) return;
    this.#tracked.add(output);
    this.#rules.push({ output, rule });
  }

  /**
   * Adds a contribution to the gradient of `name`; nothing is emitted if it is not tracked.
   * `contribution` gets the sum so far, or undefined, and returns the new sum, so that a matrix
   * product can add it without a separate node.
   */
  contribute(name: string, contribution: (sum: string | undefined) => string): void {
    if (!this.#tracked.has(name)) return;
    this.#gradients.set(name, contribution(this.#gradients.get(name)));
  }

  /** Like `contribute`, with a node that adds. */
  add(name: string, gradient: () => string): void {
    this.contribute(name, (sum) => {
      const value = gradient();
      return sum === undefined ? value : this.op("Add", [sum, value]);
    });
  }

  /** Emits all rules in reverse. The gradients of the results must have been contributed before. */
  backward(): void {
    for (const { output, rule } of this.#rules.toReversed()) {
      const gradient = this.#gradients.get(output);
      if (gradient !== undefined) rule(gradient);
    }
  }

  /** The tensor with the gradient of `name`, or undefined where nothing depends on it. */
  gradient(name: string): string | undefined {
    return this.#gradients.get(name);
  }
}
