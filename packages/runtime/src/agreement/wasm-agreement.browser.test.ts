/** The WASM back end in Chromium against the plain decoder. */
import { createWasmBackend } from "../backend/cpu/wasm-backend.ts";
import { agreementModels } from "./agreement-models.ts";
import { backendAgreementContract } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the WASM back end",
  create: (config, weights, dtype) =>
    createWasmBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 1 }),
  models: agreementModels(["f32", "int8", "int4"]),
});
