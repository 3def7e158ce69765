/** Measures the self-check of a visitor's device on WASM, in a page that has run nothing before. */
import { selfCheck, WASM_LADDER } from "../../src/agreement/self-check.ts";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import type { DecoderBackend } from "../../src/backend/decoder-backend.ts";
import { BENCH_CONFIGS } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";

export type DeviceCheckTime = {
  /** Total time. */
  readonly ms: number;
  /** The part until onnxruntime's module runs and the first tiny model's weights are ready. */
  readonly openMs: number;
  readonly isRight: boolean;
};

export async function measure(model: BenchModelName): Promise<DeviceCheckTime> {
  let opened: DecoderBackend | null = null;
  let openMs = 0;
  const start = performance.now();
  const result = await selfCheck({
    config: BENCH_CONFIGS[model],
    dtype: "f32",
    activations: "f32",
    ladder: WASM_LADDER,
    open: async (config, weights) => {
      const { contextLength } = config;
      opened = await createWasmBackend({ config, weights, contextLength, threads: 1 });
      openMs = performance.now() - start;
      return opened;
    },
  });
  const ms = performance.now() - start;
  await (opened as DecoderBackend | null)?.dispose();
  return { ms, openMs, isRight: result.verdict === "ok" };
}
