/**
 * Checks whether this worker's device computes correctly, and opens it with the workaround it
 * needs.
 */
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import type { TensorMap } from "@waggle/protocol";
import { WAGGLE_VERSION } from "@waggle/protocol";
import { selfCheck, WASM_LADDER } from "../agreement/self-check.ts";
import type { KernelWorkaround, SelfCheckResult } from "../agreement/self-check.ts";
import type { AdapterStrategy } from "../backend/cpu/cpu-backend.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import type { openGrammars } from "../session/open-grammars.ts";
import type { refetchChunk } from "../store/refetch-chunk.ts";
import type { BrowserDevice, DeviceCheck } from "./messages.ts";
import type { readInPieces } from "./read-in-pieces.ts";

/** Options for opening a worker's backend. */
export type WorkerBackendOptions = {
  /** Hex sha256 of the model's file list. */
  readonly baseModel: string;
  readonly config: DecoderConfig;
  readonly weights: TensorMap | TensorSource;
  readonly dtype: WeightFormat;
  readonly contextLength: number;
  readonly threads: number;
  readonly maxRunTokens: number | undefined;
  readonly adapterStrategy: AdapterStrategy | undefined;
  readonly adapterRank: number;
  /** For WebGPU: do without subgroup operations. */
  readonly avoidsSubgroups: boolean;
  /** For WASM: do without this package's kernels. */
  readonly avoidsSimd: boolean;
  /** In a check, the model that the small one stands for. */
  readonly sizedAs?: DecoderConfig;
  /** An adapter will follow: open the graph that takes adapters, if there are two. */
  readonly startsAdaptable?: boolean;
};

/** Provided by a worker's entry: its backends. */
export type WorkerDevice = {
  readonly kind: BrowserDevice;
  /** Format of everything but the matrices. Default f32. */
  readonly activationsOf?: (dtype: WeightFormat) => Promise<"f32" | "f16">;
  /** The format as text, including how a model of this size computes with it. Default: its name. */
  readonly formatOf?: (options: WorkerBackendOptions) => string;
  /** Ways to use the device, the fastest first. Default: as it is. */
  readonly ladder?: (options: WorkerBackendOptions) => Promise<readonly KernelWorkaround[]>;
  /** Begins to load the code that `openBackend` needs, while the weights are not there yet. Never throws. */
  readonly prepare?: (options: WorkerBackendOptions) => void;
  openBackend(options: WorkerBackendOptions): Promise<DecoderBackend>;
  /** Given where code cannot be loaded on demand, as is `readInPieces`. */
  readonly openGrammars?: typeof openGrammars;
  readonly readInPieces?: typeof readInPieces;
  readonly refetchChunk?: typeof refetchChunk;
};

/** A check's result. `release` frees what it opened: call it once the model is open. */
export type CheckedDevice = { readonly check: DeviceCheck; readonly release: () => Promise<void> };

/**
 * The result of an earlier check of this device, or of a new one. What a new check opened stays for
 * a while, so that the model finds its kernels compiled.
 *
 * @param known - results of earlier visits, by key.
 */
export async function checkDevice(
  device: WorkerDevice,
  options: WorkerBackendOptions,
  description: string,
  known: Readonly<Record<string, SelfCheckResult>>,
): Promise<CheckedDevice> {
  const { config, dtype } = options;
  const heads = `${config.heads}/${config.keyValueHeads}x${config.headSize}`;
  const format = device.formatOf?.(options) ?? dtype;
  const key = `${WAGGLE_VERSION} ${device.kind} ${description} ${config.modelType} ${heads} ${format}`;
  const before = known[key];
  let opened: DecoderBackend | null = null;
  const release = async (): Promise<void> => {
    const backend = opened;
    opened = null;
    await backend?.dispose();
  };
  if (before !== undefined) return { check: { key, result: before }, release };
  const result = await selfCheck({
    config,
    dtype,
    activations: (await device.activationsOf?.(dtype)) ?? "f32",
    ladder: (await device.ladder?.(options)) ?? WASM_LADDER,
    open: async (tiny, weights, workaround) => {
      await release();
      opened = await device.openBackend({
        ...withWorkaround(options, workaround),
        baseModel: `check of ${options.baseModel}`,
        config: tiny,
        sizedAs: config,
        weights,
        contextLength: tiny.contextLength,
        startsAdaptable: true,
      });
      return opened;
    },
  });
  return { check: { key, result }, release };
}

/** The options for opening a device that passed its check. */
export function withCheck(
  options: WorkerBackendOptions,
  { result }: DeviceCheck,
): WorkerBackendOptions {
  return result.verdict === "workaround" ? withWorkaround(options, result.workaround) : options;
}

function withWorkaround(
  options: WorkerBackendOptions,
  { maxRunTokens = Infinity, subgroups, simd }: KernelWorkaround,
): WorkerBackendOptions {
  const most = Math.min(options.maxRunTokens ?? Infinity, maxRunTokens);
  return {
    ...options,
    maxRunTokens: Number.isFinite(most) ? most : undefined,
    avoidsSubgroups: subgroups === false,
    avoidsSimd: simd === false,
  };
}
