/**
 * The decoder backend in Node: the native onnxruntime's CPU provider, with keys and values in
 * place.
 */
import { CpuBackend } from "../backend/cpu/cpu-backend.ts";
import type { CpuBackendOptions } from "../backend/cpu/cpu-backend.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { createNodeDevice } from "./node-device.ts";

/** Options of `createNodeBackend`. */
export type NodeBackendOptions = CpuBackendOptions & {
  /** CPU threads of one run. */
  readonly threads: number;
};

/** Runs return promises, because the native library is called asynchronously. */
export function createNodeBackend({ threads, ...options }: NodeBackendOptions): DecoderBackend {
  // The native library reports usage to Microsoft unless told not to. Read at the first session.
  process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
  const device = createNodeDevice({
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    // Spinning threads would take the cores from other processes.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  });
  return new CpuBackend(device, options);
}
