/** Matrix products of a decoder graph in every number format: linears, embedding, logits. */
import { loraName } from "../adapters/adapter.ts";
import type { Linear } from "../decoder/decoder-parameters.ts";
import { cast, isEmbeddingTransposed, MICROSOFT } from "./graph-parts.ts";
import type { GraphParts } from "./graph-parts.ts";
import { BLOCK_SIZE } from "../weights/quantization.ts";
import type { QuantizedBits } from "../weights/quantization.ts";

const EMBEDDING = "model.embed_tokens.weight";

/** y = x · Wᵀ + bias + x · A · B. @param x `[..., in]`. */
export function linear(parts: GraphParts, linearOf: Linear, x: string): string {
  const { graph, lora, weightFormat } = parts;
  const { name, inputSize, outputSize, hasBias } = linearOf;
  const weight = `${name}.weight`;
  let y =
    weightFormat === "int4" || weightFormat === "int8"
      ? quantizedProduct(parts, x, weight, inputSize, outputSize, weightFormat === "int4" ? 4 : 8)
      : graph.op("MatMul", [x, weight]);
  if (hasBias) y = graph.op("Add", [y, `${name}.bias`]);
  if (lora === null) return y;
  const a = graph.input(loraName(name, "A"), parts.activations, [inputSize, lora.rank]);
  const b = graph.input(loraName(name, "B"), parts.activations, [lora.rank, outputSize]);
  return graph.op("Add", [y, graph.op("MatMul", [graph.op("MatMul", [x, a]), b])]);
}

/** Rows of the embedding in the residual's format. @param ids i32 or i64 `[B, S]`. */
export function embed(parts: GraphParts, ids: string): string {
  const { graph, config, architecture, activations, residual } = parts;
  const rows = isQuantized(parts)
    ? quantizedRows(parts, ids)
    : isEmbeddingTransposed(parts)
      ? turn(parts, graph.op("Gather", [EMBEDDING, ids], { attributes: { axis: 1 } }), [1, 2, 0])
      : graph.op("Gather", [EMBEDDING, ids]);
  const embedded = cast(parts, rows, activations, residual);
  const factor = architecture.embeddingScale(config);
  if (factor === 1) return embedded;
  // the residual is float32 if there is a factor
  return graph.op("Mul", [embedded, graph.float(factor)]);
}

/** Logits f32 `[..., V]`. @param hidden `[..., C]`. */
export function head(parts: GraphParts, hidden: string): void {
  const { graph, config, activations } = parts;
  const matrix = config.tiedEmbeddings ? EMBEDDING : "lm_head.weight";
  const outputs = [activations === "f32" ? "logits" : "logits.narrow"];
  if (isQuantized(parts)) {
    quantizedProduct(parts, hidden, matrix, config.width, config.vocabularySize, 8, outputs);
  } else {
    const isTurned = !config.tiedEmbeddings || isEmbeddingTransposed(parts);
    const columns = isTurned ? matrix : turn(parts, matrix, [1, 0]);
    graph.node("MatMul", [hidden, columns], { outputs });
  }
  if (activations === "f16") {
    graph.node("Cast", outputs, { outputs: ["logits"], attributes: { to: 1 } });
  }
}

function turn({ graph }: GraphParts, x: string, order: readonly number[]): string {
  return graph.op("Transpose", [x], { attributes: { perm: { ints: order } } });
}

function isQuantized({ weightFormat }: GraphParts): boolean {
  return weightFormat === "int4" || weightFormat === "int8";
}

function quantizedProduct(
  { graph, roundsActivations }: GraphParts,
  x: string,
  weight: string,
  inputSize: number,
  outputSize: number,
  bits: QuantizedBits,
  outputs: number | readonly string[] = 1,
): string {
  const zeroPoints = bits === 4 ? [`${weight}.zero_points`] : [];
  return graph.op("MatMulNBits", [x, weight, `${weight}.scales`, ...zeroPoints], {
    domain: MICROSOFT,
    outputs,
    attributes: {
      K: inputSize,
      N: outputSize,
      bits,
      block_size: BLOCK_SIZE,
      ...(roundsActivations ? { accuracy_level: 4 } : {}),
    },
  });
}

/** Rows of the matrix in the product's layout, where blocks are a dimension. */
function quantizedRows({ graph, config }: GraphParts, ids: string): string {
  const blocks = Math.ceil(config.width / BLOCK_SIZE);
  const scales = graph.op("Reshape", [
    `${EMBEDDING}.scales`,
    graph.ints([config.vocabularySize, blocks, 1]),
  ]);
  const rows = graph.op("GatherBlockQuantized", [EMBEDDING, ids, scales], {
    domain: MICROSOFT,
    attributes: { gather_axis: 0, quantize_axis: 2, block_size: BLOCK_SIZE, bits: 8 },
  });
  const whole = graph.op("Reshape", [rows, graph.ints([0, 0, blocks * BLOCK_SIZE])]);
  if (blocks * BLOCK_SIZE === config.width) return whole;
  return graph.op("Slice", [whole, graph.ints([0]), graph.ints([config.width]), graph.ints([2])]);
}
