/** Loads a model of the visitor's choice. It follows no manifest and has a single version. */
import { parameterCount, parseDecoderConfig } from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { createBrowserPolicy, loadModel, readFormatFiles, wasmLimits } from "@waggle/runtime";
import { readChatFormat } from "@waggle/text";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import type { PolicyHostOptions } from "./policy-host.ts";

/** 1.4 GB in f32. Up to this size quantization saves nothing on WASM, which would expand the matrices. */
const MAX_F32_PARAMETERS = 350e6;

/** Opens hosts of one model. Files that were loaded once are read from the browser's storage. */
export function createOwnModelOpener(
  model: Extract<AgentModel, { kind: "address" }>,
  options: Pick<PolicyHostOptions, "device" | "createWorker">,
): OpenHost {
  return async (_, onProgress) => {
    const loaded = await loadModel(model.source, {
      ...model.load,
      // Assumes the smallest format; the model's config decides the actual one.
      memory: { dtype: model.dtype ?? "int4", limits: wasmLimits() },
      onProgress: ({ loadedBytes, totalBytes, path }) =>
        onProgress({ loadedBytes, totalBytes, detail: `loading ${path}` }),
    });
    const totalBytes = loaded.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    onProgress({ loadedBytes: totalBytes, totalBytes, detail: "starting" });
    const files = await readFormatFiles(loaded, model.load);
    const config = parseDecoderConfig(
      JSON.parse(new TextDecoder().decode(files.get("config.json"))),
    );
    const chatFormat = readChatFormat(files);
    const policy = await createBrowserPolicy({
      modelFiles: loaded,
      baseModel: loaded.baseModel,
      device: options.device ?? "auto",
      stopTokenIds: chatFormat.stopTokenIds,
      dtype: model.dtype ?? loaded.storedFormat ?? formatFor(config),
      ...(options.createWorker === undefined ? {} : { createWorker: options.createWorker }),
    });
    return {
      kind: "policy",
      followsSite: false,
      policy,
      chatFormat,
      client: policy.client,
      baseModel: policy.baseModel,
      // A file of this name in a model from elsewhere may mean something else.
      calibration: null,
      guide: () => null,
      startsAlike: () => true,
      adopt: () => Promise.resolve(),
      dispose: () => policy.dispose(),
    };
  };
}

function formatFor(config: DecoderConfig): WeightFormat {
  return parameterCount(config) < MAX_F32_PARAMETERS ? "f32" : "int4";
}
