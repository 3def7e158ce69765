/** A model of the visitor's choice made runnable. It follows no manifest and has one version. */
import { parameterCount, parseDecoderConfig } from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { createBrowserPolicy, loadModel, readFormatFiles } from "@waggle/runtime";
import { readChatFormat } from "@waggle/text";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import type { PolicyHostOptions } from "./policy-host.ts";

const MILLION = 1e6;

/** Opens hosts of one model; what was loaded once is read from the browser's storage. */
export function createOwnModelOpener(
  model: Extract<AgentModel, { kind: "address" }>,
  options: Pick<PolicyHostOptions, "device" | "createWorker">,
): OpenHost {
  return async (_, onProgress) => {
    const loaded = await loadModel(model.source, {
      ...model.load,
      onProgress: ({ loadedBytes, totalBytes, path }) =>
        onProgress({ loadedBytes, totalBytes, detail: `loading ${path}` }),
    });
    const totalBytes = loaded.files.reduce((sum, file) => sum + file.sizeBytes, 0);
    onProgress({ loadedBytes: totalBytes, totalBytes, detail: "starting" });
    const files = await readFormatFiles(loaded, model.load);
    const config = parseDecoderConfig(
      JSON.parse(new TextDecoder().decode(files.get("config.json"))),
    );
    const policy = await createBrowserPolicy({
      modelFiles: loaded,
      baseModel: loaded.baseModel,
      device: options.device ?? "auto",
      dtype: model.dtype ?? loaded.storedFormat ?? formatFor(config),
      ...(options.createWorker === undefined ? {} : { createWorker: options.createWorker }),
    });
    return {
      kind: "policy",
      followsSite: false,
      policy,
      chatFormat: readChatFormat(files),
      client: policy.client,
      baseModel: policy.baseModel,
      adopt: () => Promise.resolve(),
      dispose: () => policy.dispose(),
    };
  };
}

function formatFor(config: DecoderConfig): WeightFormat {
  const parameters = parameterCount(config);
  if (parameters < 64 * MILLION) return "f32";
  return parameters < 400 * MILLION ? "int8" : "int4";
}
