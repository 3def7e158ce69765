/** The WASM back end in Chromium against the plain decoder. */
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { agreementModels, QWEN3 } from "./agreement-models.ts";
import { backendAgreementContract } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the WASM back end",
  create: (config, weights, dtype) =>
    createWasmBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 1 }),
  models: agreementModels(["f32", "int8", "int4"]),
});

// As large models are: one graph, which chooses how to attend, and products of quantized matrices.
backendAgreementContract({
  name: "the WASM back end with all weights once",
  create: (config, weights, dtype) =>
    createWasmBackend({
      config,
      weights,
      dtype,
      contextLength: config.contextLength,
      threads: 1,
      branchWeights: "once",
      expandsQuantized: false,
    }),
  models: [
    { title: "qwen3 in f32", config: QWEN3, dtype: "f32" },
    {
      title: "smollm3 in int8",
      config: { ...QWEN3, modelType: "smollm3", layerKinds: ["attention", "unrotated"] },
      dtype: "int8",
    },
  ],
  prefillLengths: [1, 2, 16, 33, 129, 257],
});
