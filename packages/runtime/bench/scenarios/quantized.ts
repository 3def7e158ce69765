/**
 * Quantized weights on CPUs: a step with matrices expanded to float32 against onnxruntime's own
 * products of 4 and 8 bits. Runs WASM in Node as in workers, and the native library.
 */
import createModule from "onnxruntime-web/ort-wasm-simd-threaded.mjs";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import type { DecoderBackend } from "../../src/backend/decoder-backend.ts";
import { createNodeBackend } from "../../src/node/node-backend.ts";
import { BENCH_CONFIGS, benchWeights, sizeLabel } from "../bench-models.ts";
import { benchRow } from "../row.ts";
import type { BenchRow } from "../row.ts";
import type { Scenario } from "../scenario.ts";
import { READER_PROMPT, StepReader } from "../step-reader.ts";

export const quantized: Scenario = {
  name: "quantized",
  description: "int8 and int4 on CPUs: expanded to float32, and as quantized products",
  run: async function* ({ quick, report }) {
    for (const kind of ["wasm", "node-cpu"] as const) {
      for (const dtype of ["int8", "int4"] as const) {
        report(`${dtype} on ${kind}`);
        yield* await compare(kind, dtype, quick ? 8 : 64);
      }
    }
  },
};

async function compare(
  kind: "wasm" | "node-cpu",
  dtype: "int8" | "int4",
  steps: number,
): Promise<BenchRow[]> {
  const config = BENCH_CONFIGS.small;
  const weights = benchWeights("small");
  const open = async (expandsQuantized: boolean): Promise<DecoderBackend> => {
    const options = { config, weights, dtype, expandsQuantized, contextLength: 256, threads: 1 };
    return kind === "wasm"
      ? createWasmBackend({ ...options, createModule })
      : createNodeBackend(options);
  };
  const both = [
    await StepReader.open("small", await open(true)),
    await StepReader.open("small", await open(false)),
  ] as const;
  // In turns, so that other load on the machine affects both.
  for (let step = 0; step < steps; step++) for (const reader of both) await reader.step();
  for (let again = 0; again < 3; again++) for (const reader of both) await reader.prefill();
  for (const reader of both) await reader.close();
  const [ours, peer] = both;
  const agree = ours.tokenIds.join() === peer.tokenIds.join();
  const name = `${kind} ${sizeLabel("small")} ${dtype}`;
  const peerName = "MatMulNBits";
  const row = (what: string, unit: string, a: number, b: number): BenchRow =>
    benchRow({ name: `${name} ${what}`, ours: a, peer: b, peerName, unit, agree });
  return [
    row("step", "ms", ours.stepMs, peer.stepMs),
    row(`prefill of ${READER_PROMPT}`, "ms", ours.prefillMs, peer.prefillMs),
    row("weights", "MiB", ours.weights / 2 ** 20, peer.weights / 2 ** 20),
  ];
}
