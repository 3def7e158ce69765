/** Opens a policy in a worker: turns the model's files into a decoder on the worker's backend. */
import {
  parameterCount,
  parseDecoderConfig,
  parseStoredFormat,
  readModelWeights,
} from "@waggle/model";
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import { boundary, WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { contextLengthFor } from "../limits.ts";
import { openGrammars } from "../session/open-grammars.ts";
import { createScheduledPolicy } from "../session/scheduled-policy.ts";
import type { ScheduledPolicy } from "../session/scheduled-policy.ts";
import { checkDevice, withCheck } from "./checked-device.ts";
import type { WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";
import type { openModel as OpenModel, ModelReader } from "../store/loaded-model.ts";
import type { DeviceCheck, OpenRequest } from "./messages.ts";

type ModelParts = {
  readonly config: DecoderConfig;
  /** `null` if the matrices are plain numbers, which run in any format. */
  readonly storedFormat: WeightFormat | null;
  readonly weights: TensorMap | TensorSource;
  /** `null` if the model has none. */
  readonly tokenizerFiles: ReadonlyMap<string, Uint8Array> | null;
};

type OpenedPolicy = {
  /** `null` if the check refused the device. */
  readonly policy: ScheduledPolicy | null;
  readonly check: DeviceCheck;
  readonly config: DecoderConfig;
};

/** @throws WaggleError `MODEL_CORRUPT`, `MODEL_UNSUPPORTED`, or the backend's error. */
export async function openPolicy(
  device: WorkerDevice,
  request: OpenRequest,
): Promise<OpenedPolicy> {
  const { config, storedFormat, weights, tokenizerFiles } = await readModel(request, device);
  const contextLength = contextLengthFor(config, request.contextLength);
  const wanted: WorkerBackendOptions = {
    baseModel: request.baseModel,
    config,
    weights,
    contextLength,
    dtype: request.dtype ?? storedFormat ?? "f32",
    threads: request.threads,
    maxRunTokens: request.maxRunTokens ?? undefined,
    adapterStrategy: request.adapterStrategy ?? undefined,
    adapterRank: request.adapterRank,
    avoidsSubgroups: false,
    // On WebGPU, both graphs share the weights.
    startsAdaptable: device.kind === "wasm" && request.startsAdaptable,
  };
  const { check, release } = await checkDevice(
    device,
    wanted,
    request.description,
    request.knownChecks,
  );
  try {
    if (check.result.verdict === "refused") return { policy: null, check, config };
    const options = withCheck(wanted, check);
    const policy = await boundary("device", () =>
      createScheduledPolicy({
        openBackend: () => device.openBackend(options),
        client: {
          build: WAGGLE_VERSION,
          backend: device.kind,
          device: request.description,
          crossOriginIsolated: globalThis.crossOriginIsolated,
        },
        baseModel: request.baseModel,
        contextLength,
        vocabularySize: config.vocabularySize,
        cacheBytes: request.cacheBytes ?? undefined,
        openGrammars:
          tokenizerFiles === null
            ? undefined
            : () =>
                (device.openGrammars ?? openGrammars)(
                  tokenizerFiles,
                  config.vocabularySize,
                  request.stopTokenIds ?? undefined,
                ),
      }),
    );
    return { policy, check, config };
  } finally {
    await release();
  }
}

/**
 * The model's config and weights. Weights that adapters will be merged into are in memory as a whole; others are read in
 * pieces when the device needs them.
 */
async function readModel(request: OpenRequest, device: WorkerDevice): Promise<ModelParts> {
  const { model } = request;
  if ("get" in model) {
    const described = parseConfig(model.get("config.json"), [...model.keys()]);
    const tokenizerFiles = tokenizerFilesOf(model);
    if (described.storedFormat === null) {
      return { ...described, weights: await readModelWeights(model), tokenizerFiles };
    }
    const files = Array.from(model, ([path, bytes]) => ({ path, content: heldContent(bytes) }));
    const reader = await openReader({ files }, device);
    return { ...described, weights: await reader.weights(), tokenizerFiles };
  }
  const reader = await openReader(model, device);
  const paths = model.files.map(({ path }) => path);
  const small = new Map<string, Uint8Array>();
  for (const path of paths) {
    if (/\.(json|jinja|txt|model)$/.test(path)) small.set(path, await reader.bytes(path));
  }
  const described = parseConfig(small.get("config.json"), paths);
  const tokenizerFiles = tokenizerFilesOf(small);
  if (!mergesAdapters(request, described, device)) {
    return { ...described, weights: await reader.weights(), tokenizerFiles };
  }
  const whole = new Map(small);
  for (const path of paths) if (!whole.has(path)) whole.set(path, await reader.bytes(path));
  return { ...described, weights: await readModelWeights(whole), tokenizerFiles };
}

/** Up to this size, a copy of the weights for merging is cheaper than the time of adapters as inputs: 64 MB. */
const MOST_PARAMETERS_MERGED = 16e6;

function mergesAdapters(
  { adapterStrategy, dtype }: OpenRequest,
  { config, storedFormat }: Pick<ModelParts, "config" | "storedFormat">,
  { kind }: WorkerDevice,
): boolean {
  const isPlain = storedFormat === null && dtype !== "int8" && dtype !== "int4";
  if (kind !== "wasm" || !isPlain || adapterStrategy === "inputs") return false;
  return adapterStrategy === "merge" || parameterCount(config) <= MOST_PARAMETERS_MERGED;
}

function heldContent(bytes: Uint8Array) {
  return { kind: "blob", blob: new Blob([bytes as Uint8Array<ArrayBuffer>]) } as const;
}

async function openReader(
  model: Parameters<typeof OpenModel>[0],
  { openModel, refetchChunk }: WorkerDevice,
): Promise<ModelReader> {
  // Loaded on demand: a page may post the bytes of plain numbers instead.
  const open = openModel ?? (await import("../store/loaded-model.ts")).openModel;
  return open(model, refetchChunk && { refetchChunk });
}

function parseConfig(
  bytes: Uint8Array | undefined,
  paths: readonly string[],
): Pick<ModelParts, "config" | "storedFormat"> {
  if (bytes === undefined) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      `the model has no config.json, only ${paths.join(", ")}; add the file`,
    );
  }
  const json = parseJson(bytes);
  return { config: parseDecoderConfig(json), storedFormat: parseStoredFormat(json) };
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch (cause) {
    throw new WaggleError(
      "MODEL_CORRUPT",
      "config.json of the model is not valid JSON; publish it again",
      { cause },
    );
  }
}

/** Leaves out the weights, which must not be kept in memory for a grammar. */
function tokenizerFilesOf(
  files: ReadonlyMap<string, Uint8Array>,
): ReadonlyMap<string, Uint8Array> | null {
  if (!files.has("tokenizer.json")) return null;
  return new Map([...files].filter(([path]) => !path.includes("safetensors")));
}
