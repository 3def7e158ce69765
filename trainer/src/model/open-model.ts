/** Opens the engine that trains a base model and the policy that samples it. */
import {
  createEngine,
  ENGINE_DEVICES,
  type EngineDevice,
  type Precision,
  type RemoteServerOptions,
} from "@waggle/engine";
import { type Adapter, initializeAdapter, type ResidentFormat } from "@waggle/model";
import type { TrainEngine } from "@waggle/protocol";
import {
  type AdaptivePolicy,
  createNodePolicy,
  type NodePolicyOptions,
} from "@waggle/runtime/node";
import { type BaseModel, expandedWeights } from "./base-model.ts";
import { requireBase } from "./frozen-base.ts";
import type { Device } from "./device.ts";
/** Local devices that can train. */
export const DEVICES: readonly EngineDevice[] = ENGINE_DEVICES;

export type AdapterOptions = {
  readonly rank: number;
  /** LoRA alpha; the delta is B·A·alpha/rank. */
  readonly alpha: number;
  readonly seed: number;
};

/** Limits on the resources of this machine. */
export type EngineResources = {
  /** CPU threads per graph, default all. */
  readonly threads?: number | undefined;
  /** In bytes, default the free memory. */
  readonly memoryLimit?: number | undefined;
  /** Number format of the frozen weights; default unchanged. */
  readonly base?: ResidentFormat | undefined;
  /** Precision of large matrix products; default `f32`. */
  readonly precision?: Precision | undefined;
};

/**
 * An engine that trains the given adapter, or a fresh one that does not change the base's outputs.
 * @param server - settings of the remote server; only with a URL as the device.
 */
export async function openEngine(
  model: Pick<BaseModel, "config" | "weights">,
  device: Device,
  start: Adapter | AdapterOptions,
  { threads, memoryLimit, base = "f32", precision = "f32" }: EngineResources = {},
  server?: RemoteServerOptions,
): Promise<TrainEngine> {
  requireBase(base, device);
  const seed = "tensors" in start ? undefined : start.seed;
  const adapter = "tensors" in start ? start : initializeAdapter(model.config, start);
  const { config, weights } = model;
  const more = {
    ...(threads === undefined ? {} : { threads }),
    ...(memoryLimit === undefined ? {} : { memoryLimit }),
  };
  return createEngine({
    device,
    config,
    weights,
    base,
    precision,
    trains: "lora",
    adapter,
    ...more,
    server: { seed, ...server },
  });
}

/** A policy at version 0. It computes in float32; quantized weights are expanded. */
export function openPolicy(
  model: BaseModel,
  threads?: number,
  kernels?: NodePolicyOptions["kernels"],
  adapterStrategy?: NodePolicyOptions["adapterStrategy"],
): Promise<AdaptivePolicy> {
  return createNodePolicy({
    ...(kernels === undefined ? {} : { kernels }),
    ...(adapterStrategy === undefined ? {} : { adapterStrategy }),
    config: model.config,
    weights: expandedWeights(model),
    baseModel: model.reference.sha256,
    tokenizerFiles: new Map(model.files.map(({ path, bytes }) => [path, bytes])),
    ...(threads === undefined ? {} : { threads }),
  });
}
