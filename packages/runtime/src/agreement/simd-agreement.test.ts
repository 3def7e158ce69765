/** The WebAssembly kernels of this package in Node against the plain decoder. */
import { createSimdBackend } from "../backend/simd/simd-backend.ts";
import { isSimdModel } from "../backend/simd/simd-models.ts";
import { agreementModels } from "./agreement-models.ts";
import { backendAgreementContract } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the SIMD backend",
  create: (config, weights, dtype) =>
    createSimdBackend({ config, weights, dtype, contextLength: config.contextLength }),
  models: agreementModels(["f32", "int8", "int4"]).filter(({ config }) => isSimdModel(config)),
  sample: ["qwen3 in f32", "qwen3 in int8", "qwen3 in int4", "llama in f32"],
});
