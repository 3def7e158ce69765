/**
 * Reverse-mode differentiation that writes ONNX nodes: while a graph is built, every operation
 * leaves the rule that turns the gradient of its output into gradients of its inputs; `backward`
 * then emits those rules in reverse. Not a general framework: it knows names of tensors and rules,
 * and no shapes; the operations of a decoder are in `tape-operations.ts`.
 */
import type { OnnxGraphBuilder, OnnxNodeOptions } from "@waggle/model";
import { MatrixProducts } from "./matrix-products.ts";
import type { ProductFormat } from "./matrix-products.ts";

/** Emits the nodes that carry the gradient of an output to the inputs of its operation. */
export type GradientRule = (outputGradient: string) => void;

/** What a graph may count on, and how it is to multiply, where it runs. */
export type GraphTraits = {
  /** Whether SimplifiedLayerNormalization's second output is to be trusted. */
  readonly savesNormScale: boolean;
  /** Whether FusedMatMul, Sum and LogSoftmax are nodes that run there; else others make them up. */
  readonly hasAllKernels: boolean;
  /** Of linears and logits. */
  readonly products: ProductFormat;
};

export class GraphTape {
  readonly builder: OnnxGraphBuilder;
  readonly savesNormScale: boolean;
  readonly hasAllKernels: boolean;
  /** Of linears and logits. */
  readonly products: MatrixProducts;
  /** In float32, whatever those are. */
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

  /** Says that the gradient with respect to `name` is wanted. */
  track(name: string): void {
    this.#tracked.add(name);
  }

  isTracked(name: string): boolean {
    return this.#tracked.has(name);
  }

  /** One node of one output, outside of the record. */
  op(opType: string, inputs: readonly string[], options: OnnxNodeOptions = {}): string {
    return this.builder.op(opType, inputs, options);
  }

  /** Of one or more tensors of one shape. */
  sum(terms: readonly string[]): string {
    if (terms.length > 2 && this.hasAllKernels) return this.op("Sum", terms);
    return terms.reduce((sum, term) => this.op("Add", [sum, term]));
  }

  /** A constant `[1, width]` of equal numbers, shared. */
  row(value: number, width: number): string {
    const name = `row_${value}_${width}`;
    if (!this.#rows.has(name)) {
      this.builder.initializer(name, "f32", [1, width], new Float32Array(width).fill(value));
      this.#rows.add(name);
    }
    return name;
  }

  /** Records how `output` depends on `inputs`; without a tracked input it is a constant. */
  record(output: string, inputs: readonly string[], rule: GradientRule): void {
    if (!inputs.some((input) => this.#tracked.has(input))) return;
    this.#tracked.add(output);
    this.#rules.push({ output, rule });
  }

  /**
   * Adds a contribution to the gradient of `name`; nothing is emitted for an untracked one.
   * `contribution` gets the sum so far, or undefined, and returns the new sum: a matrix product
   * can then add in place of a separate node.
   */
  contribute(name: string, contribution: (sum: string | undefined) => string): void {
    if (!this.#tracked.has(name)) return;
    this.#gradients.set(name, contribution(this.#gradients.get(name)));
  }

  /** As `contribute`, by a node that adds. */
  add(name: string, gradient: () => string): void {
    this.contribute(name, (sum) => {
      const value = gradient();
      return sum === undefined ? value : this.op("Add", [sum, value]);
    });
  }

  /** Emits all rules in reverse; the gradients of the results must have been contributed. */
  backward(): void {
    for (const { output, rule } of this.#rules.toReversed()) {
      const gradient = this.#gradients.get(output);
      if (gradient !== undefined) rule(gradient);
    }
  }

  /** The tensor that holds the gradient of `name`, or undefined where nothing depends on it. */
  gradient(name: string): string | undefined {
    return this.#gradients.get(name);
  }
}
