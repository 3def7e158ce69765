/**
 * Products of large matrices in a graph: in float32, or of float16 numbers with a float16 result. All
 * tensors outside of a product are float32, so that sums, norms and softmax have its range. A graph
 * that serves both formats names its products here; small ones (attention, adapters) stay nodes of
 * their own.
 */
import type { OnnxGraphBuilder } from "@waggle/model";

/**
 * `f32`; `f16` where the device has such products; `rounded`: the same numbers in and out, multiplied
 * in float32, where it has not.
 */
export type ProductFormat = "f32" | "f16" | "rounded";

/** TensorProto.DataType. */
const TO = { f32: { to: 1 }, f16: { to: 10 } } as const;

type Operands = {
  /** The product is of the transposed matrix. */
  readonly transA?: 1;
  readonly transB?: 1;
  /** float32, added to the product. */
  readonly addend?: string | undefined;
  /** Name of the result; default: a new one. */
  readonly output?: string;
};

export class MatrixProducts {
  readonly #builder: OnnxGraphBuilder;
  readonly #format: ProductFormat;
  /** Of float32 tensors. */
  readonly #halves = new Map<string, string>();

  constructor(builder: OnnxGraphBuilder, format: ProductFormat) {
    this.#builder = builder;
    this.#format = format;
  }

  /** Says that `name` is what the float16 tensor `half` holds. */
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
   * onnxruntime makes a float16 product on the processor a float32 one between two casts, and then
   * takes out casts there and back, rounding and overflow with them. Not across a Reshape, which does
   * nothing else here and copies nothing.
   */
  #kept(half: string): string {
    if (this.#format !== "rounded") return half;
    return this.#builder.op("Reshape", [half, this.#builder.ints([0, -1])]);
  }
}
