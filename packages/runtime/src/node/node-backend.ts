/** The decoder back end in Node: the native onnxruntime's CPU provider, keys and values in place. */
import { CpuBackend } from "../backend/cpu/cpu-backend.ts";
import type { CpuBackendOptions } from "../backend/cpu/cpu-backend.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { createNodeDevice } from "./node-device.ts";

export type NodeBackendOptions = CpuBackendOptions & {
  /** CPU threads of one run. */
  readonly threads: number;
};

/** Runs answer with promises: the native library is called from a task of its own. */
export function createNodeBackend({ threads, ...options }: NodeBackendOptions): DecoderBackend {
  // The native library reports usage to its maker unless told not to; read at its first session.
  process.env["ORT_DISABLE_TELEMETRY"] ??= "1";
  const device = createNodeDevice({
    executionProviders: ["cpu"],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    // Waiting threads that spin take the cores from whatever shares them.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  });
  return new CpuBackend(device, options);
}
