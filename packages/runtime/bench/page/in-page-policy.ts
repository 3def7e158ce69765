/** The runtime without its worker, for measurements from inside: time of its parts, memory. */
import { BENCH_CONFIGS, benchWeights } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import type { CpuBackendOptions } from "../../src/backend/cpu/cpu-backend.ts";
import { createWasmBackend } from "../../src/backend/cpu/wasm-backend.ts";
import { createWasmDevice } from "../../src/backend/cpu/wasm-device.ts";
import type { OpenBackend } from "../../src/session/decoder-device.ts";
import { createScheduledPolicy } from "../../src/session/scheduled-policy.ts";
import type { ScheduledPolicy } from "../../src/session/scheduled-policy.ts";
import type { KeptModule } from "./kept-module.ts";
import type { RecordingSwitch } from "./recording-switch.ts";

/** Always the most likely token. */
export const GREEDY = { temperature: 1, topK: 1, topP: 1, seed: 1 };

/** A policy that runs in the page. */
export function policyInPage(model: BenchModelName, threads: number): Promise<ScheduledPolicy> {
  return policyOn(model, () => createWasmBackend({ ...optionsOf(model), threads }));
}

/** The same. @param kept - receives the module that computes. */
export function keptPolicyInPage(
  model: BenchModelName,
  { createModule }: KeptModule,
): Promise<ScheduledPolicy> {
  const options = { ...optionsOf(model), threads: 1, createModule };
  return policyOn(model, () => createWasmBackend(options));
}

/** The same, with recording that can be turned off. */
export function switchedInPage(
  model: BenchModelName,
  recording: RecordingSwitch,
): Promise<ScheduledPolicy> {
  const options = optionsOf(model);
  return policyOn(model, async () => recording.openBackend(await createWasmDevice(1), options));
}

function optionsOf(model: BenchModelName): CpuBackendOptions {
  const config = BENCH_CONFIGS[model];
  return { config, weights: benchWeights(model), contextLength: config.contextLength };
}

function policyOn(model: BenchModelName, openBackend: OpenBackend): Promise<ScheduledPolicy> {
  const { contextLength, vocabularySize } = BENCH_CONFIGS[model];
  return createScheduledPolicy({
    openBackend,
    client: { build: "bench", backend: "wasm", device: "wasm", crossOriginIsolated: true },
    baseModel: "0".repeat(64),
    contextLength,
    vocabularySize,
  });
}
