/**
 * Measures a device's ceilings through the provider that trains on it: bandwidth (copies of an array
 * larger than any cache) and throughput (chains of equal matrix products). Operands are created on the
 * device, so nothing is transferred.
 */
import { OnnxGraphBuilder } from "@waggle/model";
import type { OnnxDevice } from "../../src/onnx/onnx-device.ts";
import { OnnxGraph } from "../../src/onnx/onnx-graph.ts";
import type { GpuSize } from "./gpu-steps.ts";

export type Ceiling = {
  /** The workload that reached it, such as `4096³ x 8`. */
  readonly of: string;
  /** GFLOP/s or GB/s. */
  readonly best: number;
};

const SIZES = {
  tiny: { products: [64, 128], links: 2, copied: 2 ** 16 },
  real: { products: [1024, 2048, 4096], links: 16, copied: 2 ** 26 },
} as const;
const COPIES = 16;
const ROUNDS = 5;

/** The fastest product of square matrices in the given precision. */
export async function productCeiling(
  device: OnnxDevice,
  size: GpuSize,
  precision: "f32" | "f16",
): Promise<Ceiling> {
  const { products, links } = SIZES[size];
  let ceiling: Ceiling = { of: "", best: 0 };
  for (const n of products) {
    const seconds = await timed(device, 1 / n, [n, n], precision, (builder, operand) => {
      let product = operand;
      for (let link = 0; link < links; link++) product = builder.op("Gemm", [product, operand]);
      return product;
    });
    const best = (2 * n ** 3 * links) / seconds / 1e9;
    if (best > ceiling.best) ceiling = { of: `${n}³ x ${links} in ${precision}`, best };
  }
  return ceiling;
}

/** Memory bandwidth in GB/s: bytes read and written by nodes that only copy. */
export async function copyCeiling(device: OnnxDevice, size: GpuSize): Promise<Ceiling> {
  const { copied } = SIZES[size];
  const rows = 256;
  const seconds = await timed(device, 1, [rows, copied / rows], "f32", (builder, operand) => {
    let copy = operand;
    for (let count = 0; count < COPIES; count++) copy = builder.op("Neg", [copy]);
    return copy;
  });
  const megabytes = (4 * copied) / 2 ** 20;
  return { of: `${megabytes} MiB x ${COPIES}`, best: (COPIES * 2 * 4 * copied) / seconds / 1e9 };
}

/** Seconds of the best run. Includes filling the operand and reading one number of the result. */
async function timed(
  device: OnnxDevice,
  value: number,
  shape: readonly [number, number],
  precision: "f32" | "f16",
  work: (builder: OnnxGraphBuilder, operand: string) => string,
): Promise<number> {
  const builder = new OnnxGraphBuilder();
  builder.input("value", "f32", [1, 1]);
  const operand = builder.op("Expand", ["value", builder.ints([...shape])]);
  const cast = (name: string, to: 1 | 10): string =>
    precision === "f32" ? name : builder.op("Cast", [name], { attributes: { to } });
  const result = work(builder, cast(operand, 10));
  const [begin, end] = [builder.ints([0, 0]), builder.ints([1, 1])];
  const corner = builder.op("Slice", [result, begin, end]);
  builder.node("Mul", [cast(corner, 1), builder.float(1)], { outputs: ["corner"] });
  builder.output("corner", "f32", [1, 1]);
  const graph = await OnnxGraph.create(builder.build(), device);
  const feeds = new Map([["value", { shape: [1, 1], data: Float32Array.of(value) }]]);
  let best = Infinity;
  for (let round = 0; round <= ROUNDS; round++) {
    const start = performance.now();
    await graph.run(feeds);
    // the first run builds pipelines
    if (round > 0) best = Math.min(best, (performance.now() - start) / 1000);
  }
  await graph.dispose();
  return best;
}
