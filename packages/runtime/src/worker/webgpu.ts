/** Entry of the worker that runs a policy on onnxruntime's WebGPU provider. */
import { WaggleError } from "@waggle/protocol";
import * as ort from "onnxruntime-web/webgpu";
import { WEBGPU_RUN_TOKENS } from "../limits.ts";
import { createOrtBackend } from "../ort-session.ts";
import { gpuPlacer, webgpuSessionOptions } from "./gpu-tensors.ts";
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";
import { bridge } from "./webgpu-bridge.ts";

// onnxruntime starts its threads from the file it was bundled into, which may be this one.
const scope = globalThis as unknown as MessageEndpoint & { readonly name: string };
if (!scope.name.startsWith("em-pthread")) {
  servePolicy(scope, {
    kind: "webgpu",
    openBackend: async ({ config, weights, contextLength, maxRunTokens, ...options }) => {
      if ("tensors" in weights) {
        throw new WaggleError("CAPABILITY_MISSING", "weights must be in memory; use wasm");
      }
      ort.env.logLevel = "error";
      const backend = createOrtBackend({
        runtime: ort,
        config,
        weights,
        maxPositions: contextLength,
        sessionOptions: webgpuSessionOptions(config),
        maxRunTokens: maxRunTokens ?? WEBGPU_RUN_TOKENS,
        maxRows: 1,
        adapterStrategy: options.adapterStrategy ?? "inputs",
        adapterRank: options.adapterRank,
        place: gpuPlacer(ort),
      });
      return bridge(backend, config.vocabularySize);
    },
  });
}
