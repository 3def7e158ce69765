/** Opens a policy in a worker: turns the model's files into a decoder on the worker's backend. */
import { parseDecoderConfig, parseStoredFormat, readModelWeights } from "@waggle/model";
import type { DecoderConfig, TensorSource, WeightFormat } from "@waggle/model";
import { boundary, WAGGLE_VERSION, WaggleError } from "@waggle/protocol";
import type { TensorMap } from "@waggle/protocol";
import { contextLengthFor } from "../limits.ts";
import { loadGrammars, openGrammars } from "../session/open-grammars.ts";
import { createScheduledPolicy } from "../session/scheduled-policy.ts";
import type { ScheduledPolicy } from "../session/scheduled-policy.ts";
import { checkDevice, withCheck } from "./checked-device.ts";
import type { CheckedDevice, WorkerBackendOptions, WorkerDevice } from "./checked-device.ts";
import type { DeviceCheck, OpenRequest, PrepareRequest } from "./messages.ts";
import { timed } from "./timed.ts";

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

/**
 * Loads the device's code and checks it before the weights are there. What the check opened stays until `release`.
 *
 * @throws WaggleError as `openPolicy`.
 */
export async function prepareDevice(
  device: WorkerDevice,
  request: PrepareRequest,
): Promise<CheckedDevice> {
  const described = parseConfig(request.config, []);
  const options = backendOptions(device, request, described);
  const wanted = { ...options, baseModel: "", weights: new Map() };
  device.prepare?.(wanted);
  if (device.openGrammars === undefined) void loadGrammars().catch(() => undefined);
  return timed("check", () =>
    checkDevice(device, wanted, request.description, request.knownChecks),
  );
}

/** @throws WaggleError `MODEL_CORRUPT`, `MODEL_UNSUPPORTED`, or the backend's error. */
export async function openPolicy(
  device: WorkerDevice,
  request: OpenRequest,
): Promise<OpenedPolicy> {
  const { config, storedFormat, weights, tokenizerFiles } = await timed("read", () =>
    readModel(request, device),
  );
  const options = backendOptions(device, request, { config, storedFormat });
  const wanted: WorkerBackendOptions = { ...options, baseModel: request.baseModel, weights };
  const { contextLength } = wanted;
  device.prepare?.(wanted);
  const { check, release } = await timed("check", () =>
    checkDevice(device, wanted, request.description, request.knownChecks),
  );
  try {
    if (check.result.verdict === "refused") return { policy: null, check, config };
    const options = withCheck(wanted, check);
    const opening = (): Promise<ScheduledPolicy> =>
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
      });
    const policy = await timed("open", () => boundary("device", opening));
    return { policy, check, config };
  } finally {
    await release();
  }
}

/** Everything but the model itself. */
function backendOptions(
  device: WorkerDevice,
  request: PrepareRequest | OpenRequest,
  { config, storedFormat }: Pick<ModelParts, "config" | "storedFormat">,
): Omit<WorkerBackendOptions, "baseModel" | "weights"> {
  return {
    config,
    contextLength: contextLengthFor(config, request.contextLength),
    dtype: request.dtype ?? storedFormat ?? "f32",
    threads: request.threads,
    maxRunTokens: request.maxRunTokens ?? undefined,
    adapterStrategy: request.adapterStrategy ?? undefined,
    adapterRank: request.adapterRank,
    avoidsSubgroups: false,
    avoidsSimd: false,
    // On WebGPU, both graphs share the weights.
    startsAdaptable: device.kind === "wasm" && request.startsAdaptable,
  };
}

async function readModel(request: OpenRequest, device: WorkerDevice): Promise<ModelParts> {
  const { model } = request;
  if ("get" in model) {
    const described = parseConfig(model.get("config.json"), [...model.keys()]);
    if (described.storedFormat === null) {
      const weights = await readModelWeights(model);
      return { ...described, weights, tokenizerFiles: tokenizerFilesOf(model) };
    }
  }
  const read = device.readInPieces ?? (await import("./read-in-pieces.ts")).readInPieces;
  const opened = await read(request, device);
  const described = parseConfig(opened.small.get("config.json"), opened.paths);
  return {
    ...described,
    weights: await opened.weights(described),
    tokenizerFiles: tokenizerFilesOf(opened.small),
  };
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
