/** What a page asks of a worker's device for a tiny decoder. Tests only. */
import { tensorMapSource } from "@waggle/model";
import { TINY_BASE_MODEL, TINY_CONFIG, tinyWeights } from "../tiny-decoder.fixture.ts";
import type { WorkerBackendOptions } from "./checked-device.ts";

const WEIGHTS = tensorMapSource(tinyWeights());

/** Options for the tiny decoder in int8, with changes. */
export function workerOptions(changes: Partial<WorkerBackendOptions> = {}): WorkerBackendOptions {
  return {
    baseModel: TINY_BASE_MODEL,
    config: TINY_CONFIG,
    weights: WEIGHTS,
    dtype: "int8",
    contextLength: TINY_CONFIG.contextLength,
    threads: 1,
    maxRunTokens: undefined,
    adapterStrategy: undefined,
    adapterRank: 16,
    avoidsSubgroups: false,
    avoidsSimd: false,
    ...changes,
  };
}
