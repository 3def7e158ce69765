/**
 * Products of large matrices in a graph: in float32, or of float16 numbers with a float16 result.
 * All tensors outside a product are float32, so that sums, norms and softmax do not overflow. Only
 * products that may be float16 are made here; small ones (attention, adapters) are plain nodes.
 */
import type { OnnxGraphBuilder } from "@waggle/model";

/**
 * `f16`: the device multiplies in float16. `rounded`: inputs and results are rounded to float16, but
 * multiplied in float32, for devices without float16 products.
 */
export type ProductFormat = "f32" | "f16" | "rounded";

/** TensorProto.DataType. */
const TO = { f32: { to: 1 }, f16: { to: 10 } } as const;

type Operands = {
  /** Multiply the transposed left matrix. */
  readonly transA?: 1;
  readonly transB?: 1;
  /** float32, added to the product. */
  readonly addend?: string | undefined;
  /** Name of the result. Default: a new name. */
  readonly output?: string;
};

export class MatrixProducts {
  readonly #builder: OnnxGraphBuilder;
  readonly #format: ProductFormat;
  /** Name of the float16 copy of a float32 tensor. */
  readonly #halves = new Map<string, string>();

  constructor(builder: OnnxGraphBuilder, format: ProductFormat) {
    this.#builder = builder;
    this.#format = format;
  }

  /** Registers `half` as the float16 copy of `name`. */
  hold(name: string, half: string): void {
    this.#halves.set(name, half);
  }

  /** @returns `left · right (+ addend)`, float32. */
  product(left: string, right: string, operands: Operands = {}): string {
    const { addend, output, ...transposed } = operands;
    const outputs = output === undefined ? 1 : [output];
    const node = (type: string, inputs: readonly string[], attributes = {}): string =>
      this.#builder.node(type, inputs, { outputs, attributes })[0] as string;
    if (this.#format === "f32") {
      const inputs = addend === undefined ? [left, right] : [left, right, addend];
      return node("Gemm", inputs, transposed);
    }
    const half = this.#kept(
      this.#builder.op("Gemm", [this.#half(left), this.#half(right)], { attributes: transposed }),
    );
    if (addend === undefined) return node("Cast", [half], TO.f32);
    return node("Add", [this.#builder.op("Cast", [half], { attributes: TO.f32 }), addend]);
  }

  #half(name: string): string {
    const known = this.#halves.get(name);
    if (known !== undefined) return known;
    const half = this.#kept(this.#builder.op("Cast", [name], { attributes: TO.f16 }));
    this.#halves.set(name, half);
    return half;
  }

  /**
   * On the CPU, onnxruntime replaces a float16 product by a float32 one between two casts, and then
   * removes cast pairs, losing rounding and overflow. A Reshape, which copies nothing, prevents that.
   */
  #kept(half: string): string {
    if (this.#format !== "rounded") return half;
    return this.#builder.op("Reshape", [half, this.#builder.ints([0, -1])]);
  }
}
