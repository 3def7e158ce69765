/** Loads a model of the visitor's choice. It follows no manifest and has a single version. */
import { parameterCount, parseDecoderConfig } from "@waggle/model";
import type { DecoderConfig, WeightFormat } from "@waggle/model";
import { parseModelSource, wasmLimits } from "@waggle/runtime";
import type { OpenHost } from "./agent-host.ts";
import type { AgentModel } from "./agent-model.ts";
import { openModelPolicy } from "./model/model-policy.ts";
import type { PolicyHostOptions } from "./policy-host.ts";

/** 1.4 GB in f32. Up to this size quantization saves nothing on WASM, which would expand the matrices. */
const MAX_F32_PARAMETERS = 350e6;

/** Opens hosts of one model. Files that were loaded once are read from the browser's storage. */
export function createOwnModelOpener(
  { source, dtype, load }: Extract<AgentModel, { kind: "address" }>,
  { device = "auto", createWorker }: Pick<PolicyHostOptions, "device" | "createWorker">,
): OpenHost {
  return async (_, onProgress) => {
    const { policy, chatFormat } = await openModelPolicy(
      typeof source === "string" ? parseModelSource(source) : source,
      {
        load: {
          ...load,
          // Assumes the smallest format; the model's config decides the actual one.
          memory: { dtype: dtype ?? "int4", limits: wasmLimits() },
        },
        detailOf: (path) => `loading ${path}`,
        dtypeOf: ({ storedFormat }, files) => dtype ?? storedFormat ?? formatFor(configOf(files)),
        policy: { device, createWorker },
      },
      onProgress,
    );
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

function configOf(files: ReadonlyMap<string, Uint8Array>): DecoderConfig {
  return parseDecoderConfig(JSON.parse(new TextDecoder().decode(files.get("config.json"))));
}

function formatFor(config: DecoderConfig): WeightFormat {
  return parameterCount(config) < MAX_F32_PARAMETERS ? "f32" : "int4";
}
