/**
 * The differentiable operations of a decoder as ONNX nodes, each with its gradient. Activations are
 * `[N, width]` with N = B·T rows, so that every linear layer is a single product. In float32 it
 * adds a residual (forward) or an earlier contribution (backward) at no cost.
 */
import type { GraphTape } from "./graph-tape.ts";
import type { MatrixProducts } from "./matrix-products.ts";

const MICROSOFT = "com.microsoft";

/** `input [N, in] · weightᵀ [in, out] (+ addend [N, out])`; the weight as stored, `[out, in]`. */
export function linear(
  tape: GraphTape,
  input: string,
  weight: string,
  addend?: string,
  products: MatrixProducts = tape.products,
): string {
  const output = products.product(input, weight, { transB: 1, addend });
  const inputs = addend === undefined ? [input, weight] : [input, weight, addend];
  tape.record(output, inputs, (gradient) => {
    if (addend !== undefined) tape.add(addend, () => gradient);
    tape.contribute(input, (sum) => products.product(gradient, weight, { addend: sum }));
    tape.contribute(weight, (sum) => products.product(gradient, input, { transA: 1, addend: sum }));
  });
  return output;
}

/** `input [N, width] + bias [width]`; the gradient of the bias is the sum of the rows. */
export function addBias(tape: GraphTape, input: string, bias: string): string {
  const output = tape.op("Add", [input, bias]);
  tape.record(output, [input, bias], (gradient) => {
    tape.add(input, () => gradient);
    tape.add(bias, () =>
      tape.op("ReduceSum", [gradient, tape.builder.ints([0])], { attributes: { keepdims: 0 } }),
    );
  });
  return output;
}

/**
 * x / √(mean x² + epsilon) ∘ weight over the last dimension, `[N, size]` or `[B, T, H, size]`.
 * With r = 1/√(…), s = Σ dy∘x∘weight: dx = r·(dy∘weight) − x·r³·s/size, dweight = Σ_N r·(dy∘x).
 */
export function rmsNorm(
  tape: GraphTape,
  input: string,
  weight: string,
  options: { readonly size: number; readonly epsilon: number; readonly isFlat: boolean },
): string {
  const { size, epsilon, isFlat } = options;
  const [output, saved] = tape.builder.node("SimplifiedLayerNormalization", [input, weight], {
    outputs: tape.savesNormScale ? 2 : 1,
    attributes: { axis: -1, epsilon: { float: epsilon }, stash_type: 1 },
  }) as [string, string?];
  tape.record(output, [input, weight], (gradient) => {
    const inverse = saved ?? inverseRoot(tape, input, size, epsilon);
    const product = tape.op("Mul", [gradient, input]);
    const flat = (value: string, width: number): string =>
      isFlat ? value : tape.op("Reshape", [value, tape.builder.ints([-1, width])]);
    tape.add(weight, () => {
      const sums = tape.op("Gemm", [flat(inverse, 1), flat(product, size)], {
        attributes: { transA: 1 },
      });
      return tape.op("Reshape", [sums, tape.builder.ints([size])]);
    });
    tape.contribute(input, (sum) => {
      const gains = tape.op("Reshape", [weight, tape.builder.ints([1, size])]);
      const projected = projection(tape, product, gains, -1 / size);
      const square = tape.op("Mul", [inverse, inverse]);
      const scale = tape.op("Mul", [square, tape.op("Mul", [inverse, projected])]);
      const direct = tape.op("Mul", [gradient, tape.op("MatMul", [inverse, gains])]);
      const along = tape.op("Mul", [
        input,
        isFlat ? scale : tape.op("MatMul", [scale, tape.row(1, size)]),
      ]);
      const parts = sum === undefined ? [direct, along] : [direct, along, sum];
      return tape.sum(parts);
    });
  });
  return output;
}

/** factor · (values · gainsᵀ) over the last dimension, kept with size 1; gains `[1, size]`. */
function projection(tape: GraphTape, values: string, gains: string, factor: number): string {
  if (tape.hasAllKernels) {
    return tape.op("FusedMatMul", [values, gains], {
      domain: MICROSOFT,
      attributes: { transB: 1, alpha: { float: factor } },
    });
  }
  const last = tape.builder.ints([-1]);
  const total = tape.op("ReduceSum", [tape.op("Mul", [values, gains]), last]);
  return tape.op("Mul", [total, tape.builder.float(factor)]);
}

/** 1 / √(mean x² + epsilon) over the last dimension, kept with size 1. */
function inverseRoot(tape: GraphTape, input: string, size: number, epsilon: number): string {
  const { builder } = tape;
  const total = tape.op("ReduceSumSquare", [input, builder.ints([-1])]);
  const mean = tape.op("Mul", [total, builder.float(1 / size)]);
  return tape.op("Reciprocal", [tape.op("Sqrt", [tape.op("Add", [mean, builder.float(epsilon)])])]);
}

/**
 * silu(gate) ∘ up. With σ = sigmoid(gate) and o the output, silu' = σ + silu·(1 − σ), so that
 * dgate = dy∘(up∘silu') = dy∘(o + σ∘(up − o)), which saves a pass over the widest activations.
 */
export function swiGlu(tape: GraphTape, gate: string, up: string): string {
  const sigmoid = tape.op("Sigmoid", [gate]);
  const silu = tape.op("Mul", [gate, sigmoid]);
  const output = tape.op("Mul", [silu, up]);
  tape.record(output, [gate, up], (gradient) => {
    tape.add(up, () => tape.op("Mul", [gradient, silu]));
    tape.add(gate, () => {
      const rest = tape.op("Mul", [sigmoid, tape.op("Sub", [up, output])]);
      return tape.op("Mul", [gradient, tape.op("Add", [output, rest])]);
    });
  });
  return output;
}

/** A view of the same elements; `shape` and `inputShape` are i64 vectors. */
export function reshape(tape: GraphTape, input: string, shape: string, inputShape: string): string {
  const output = tape.op("Reshape", [input, shape]);
  tape.record(output, [input], (gradient) => {
    tape.add(input, () => tape.op("Reshape", [gradient, inputShape]));
  });
  return output;
}

/** `[B, T, H, D]` to `[B, H, T, D]`, which is its own inverse. */
export function swapTimeAndHeads(tape: GraphTape, input: string): string {
  const attributes = { perm: { ints: [0, 2, 1, 3] } };
  const output = tape.op("Transpose", [input], { attributes });
  tape.record(output, [input], (gradient) => {
    tape.add(input, () => tape.op("Transpose", [gradient], { attributes }));
  });
  return output;
}

/**
 * Tensor names of a rotary table: cosine and sine `[P, D/2]`, negated sine, i64 positions `[B, T]`.
 */
export type RotaryTable = {
  readonly cosine: string;
  readonly sine: string;
  readonly negatedSine: string;
  readonly positions: string;
};

/** Rotary embedding of halves (Hugging Face order) on `[B, H, T, D]`; its gradient rotates back. */
export function rotary(tape: GraphTape, input: string, table: RotaryTable): string {
  const turn = (value: string, sine: string): string =>
    tape.op("RotaryEmbedding", [value, table.positions, table.cosine, sine], {
      domain: MICROSOFT,
      attributes: { interleaved: 0 },
    });
  const output = turn(input, table.sine);
  tape.record(output, [input], (gradient) => {
    tape.add(input, () => turn(gradient, table.negatedSine));
  });
  return output;
}

/** Rows `[K, width]` of `[N, width]`, each at most once; `inverse` maps each row to its new place. */
export function gatherRows(
  tape: GraphTape,
  input: string,
  rows: {
    /** i32 `[K]` */
    readonly indices: string;
    /** i32 `[N]`: position in `indices`, or K for a row that is left out. */
    readonly inverse: string;
    readonly width: number;
  },
): string {
  const output = tape.op("Gather", [input, rows.indices], { attributes: { axis: 0 } });
  tape.record(output, [input], (gradient) => {
    tape.add(input, () => {
      // A Gather from [gradient; 0], because a scatter races on two threads.
      const padded = tape.op("Concat", [gradient, tape.row(0, rows.width)], {
        attributes: { axis: 0 },
      });
      return tape.op("Gather", [padded, rows.inverse], { attributes: { axis: 0 } });
    });
  });
  return output;
}
