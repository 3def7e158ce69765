/** The runtime without its worker, for what only shows from inside: its parts' time, its memory. */
import { BENCH_CONFIGS, benchWeights } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import type { DecoderBackend } from "../../src/backend/decoder-backend.ts";
import { createScheduledPolicy } from "../../src/session/scheduled-policy.ts";
import type { ScheduledPolicy } from "../../src/session/scheduled-policy.ts";

export function openInPage(model: BenchModelName, threads: number): Promise<DecoderBackend> {
  const config = BENCH_CONFIGS[model];
  return createWasmBackend({
    config,
    weights: benchWeights(model),
    contextLength: config.contextLength,
    threads,
  });
}

export function policyInPage(model: BenchModelName, threads: number): Promise<ScheduledPolicy> {
  const { contextLength, vocabularySize } = BENCH_CONFIGS[model];
  return createScheduledPolicy({
    openBackend: () => openInPage(model, threads),
    client: { build: "bench", backend: "wasm", device: "wasm", crossOriginIsolated: true },
    baseModel: "0".repeat(64),
    contextLength,
    vocabularySize,
  });
}
