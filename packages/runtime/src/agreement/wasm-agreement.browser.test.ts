/** The WASM backend in Chromium against the plain decoder. */
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { agreementModels, QWEN3 } from "./agreement-models.ts";
import { backendAgreementContract } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the WASM backend",
  create: (config, weights, dtype) =>
    createWasmBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 1 }),
  models: agreementModels(["f32", "int8", "int4"]),
});

// As for large models: one graph that chooses how to attend, and products of quantized matrices.
backendAgreementContract({
  name: "the WASM backend with a single copy of the weights",
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
