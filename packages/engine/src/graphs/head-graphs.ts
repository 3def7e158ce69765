/**
 * Two graphs for the logits of one tile (some rows of hidden states × some rows of the vocabulary):
 * the tile's statistics for a softmax over all tiles, and the gradients once that softmax is known.
 * The tile's logits exist only inside a graph; `chunked-head.ts` combines tiles.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import type { ResidentFormat } from "@waggle/model";
import { declareMatrix } from "./graph-matrix.ts";
import { MatrixProducts } from "./matrix-products.ts";
import type { ProductFormat } from "./matrix-products.ts";

export const HEAD_WEIGHT = "weight";

export type StatisticsVariant = {
  /** Some temperature is not 1: the plain softmax is accumulated beside the tempered one. */
  readonly tempered: boolean;
};

export type GradientVariant = StatisticsVariant & {
  readonly entropy: boolean;
  /** The gradient of the matrix is wanted too. */
  readonly trained: boolean;
};

type Matrix = { readonly columns: number; readonly format: ResidentFormat };

type Logits = {
  readonly logits: string;
  readonly tempered: string;
  readonly weight: string;
  readonly products: MatrixProducts;
};

/**
 * Inputs: `hidden` f32 `[K, C]`, the matrix `[V', C]` under `HEAD_WEIGHT`, `picks` i64 `[P, 2]` (row,
 * column), tempered: `inverseTemperatures` f32 `[K, 1]`.
 * Outputs, with t = z/τ: `picked` `[P]` (z), and `[K, 1]` each: `largest` (max t), `sum` (Σ eᵘ with
 * u = t − max t), `information` (Σ u·eᵘ), `square` (Σ e²ᵘ); tempered: `rawLargest`, `rawSum` of z.
 */
export function buildHeadStatistics(
  variant: StatisticsVariant,
  matrix: Matrix,
  format: ProductFormat,
): Uint8Array {
  const builder = new OnnxGraphBuilder();
  const { logits, tempered } = declareLogits(builder, variant, matrix, format);
  const last = builder.ints([-1]);
  const sumUp = (values: string, name: string, sum: string): { u: string; exp: string } => {
    builder.node("ReduceMax", [values, last], { outputs: [name] });
    const u = builder.op("Sub", [values, name]);
    const exp = builder.op("Exp", [u]);
    builder.node("ReduceSum", [exp, last], { outputs: [sum] });
    return { u, exp };
  };
  const { u, exp } = sumUp(tempered, "largest", "sum");
  builder.node("ReduceSum", [builder.op("Mul", [u, exp]), last], { outputs: ["information"] });
  builder.node("ReduceSumSquare", [exp, last], { outputs: ["square"] });
  const names = ["largest", "sum", "information", "square"];
  if (variant.tempered) {
    sumUp(logits, "rawLargest", "rawSum");
    names.push("rawLargest", "rawSum");
  }
  for (const name of names) builder.output(name, "f32", ["K", 1]);
  builder.node("GatherND", [logits, "picks"], { outputs: ["picked"] });
  builder.output("picked", "f32", ["P"]);
  return builder.build();
}

/**
 * Inputs as above and, `[K, 1]` each: `normalizer` (log Σ eᵗ over all tiles), `scale` and, with
 * entropy, `entropyScale`; tempered: `rawNormalizer`, `rawScale`; and `pickedGradients` f32 `[P]`,
 * `sum` f32 `[K, C]`. With p = e^(t − normalizer), q = e^(z − rawNormalizer) the gradient of z is
 *   p∘(scale − entropyScale·log p) − rawScale·q + pickedGradients at the picks.
 * Outputs: `hiddenGradient` `[K, C]`, `sum` included, and, trained, `weightGradient` `[V', C]`.
 */
export function buildHeadGradient(
  variant: GradientVariant,
  matrix: Matrix,
  format: ProductFormat,
): Uint8Array {
  const builder = new OnnxGraphBuilder();
  const { logits, tempered, ...rest } = declareLogits(builder, variant, matrix, format);
  const column = (name: string): string => builder.input(name, "f32", ["K", 1]);
  const u = builder.op("Sub", [tempered, column("normalizer")]);
  const probs = builder.op("Exp", [u]);
  const scale = column("scale");
  const factor = variant.entropy
    ? builder.op("Sub", [scale, builder.op("Mul", [u, column("entropyScale")])])
    : scale;
  let gradient = builder.op("Mul", [probs, factor]);
  if (variant.tempered) {
    const raw = builder.op("Exp", [builder.op("Sub", [logits, column("rawNormalizer")])]);
    const scaled = builder.op("Mul", [raw, column("rawScale")]);
    gradient = builder.op("Sub", [gradient, scaled]);
  }
  builder.input("pickedGradients", "f32", ["P"]);
  // every pick occurs once, so that no two threads add to the same place
  gradient = builder.op("ScatterND", [gradient, "picks", "pickedGradients"], {
    attributes: { reduction: { string: "add" } },
  });
  builder.input("sum", "f32", ["K", matrix.columns]);
  const { weight, products } = rest;
  products.product(gradient, weight, { addend: "sum", output: "hiddenGradient" });
  builder.output("hiddenGradient", "f32", ["K", matrix.columns]);
  if (variant.trained) {
    products.product(gradient, "hidden", { transA: 1, output: "weightGradient" });
    builder.output("weightGradient", "f32", ["V", matrix.columns]);
  }
  return builder.build();
}

function declareLogits(
  builder: OnnxGraphBuilder,
  { tempered }: StatisticsVariant,
  { columns, format }: Matrix,
  productFormat: ProductFormat,
): Logits {
  const products = new MatrixProducts(builder, productFormat);
  builder.input("hidden", "f32", ["K", columns]);
  builder.input("picks", "i64", ["P", 2]);
  const weight = declareMatrix(builder, HEAD_WEIGHT, { rows: "V", columns }, format, products);
  const logits = products.product("hidden", weight, { transB: 1 });
  if (!tempered) return { logits, tempered: logits, weight, products };
  builder.input("inverseTemperatures", "f32", ["K", 1]);
  const divided = builder.op("Mul", [logits, "inverseTemperatures"]);
  return { logits, tempered: divided, weight, products };
}
