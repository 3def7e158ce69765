/** The WASM back end, run in Node: onnxruntime's module is the one that workers run. */
import { backendAgreementContract } from "../../agreement/backend-agreement.contract.ts";
import { createWasmBackend } from "./wasm-backend.ts";

backendAgreementContract({
  name: "the WASM back end",
  create: (config, weights) =>
    createWasmBackend({ config, weights, contextLength: config.contextLength, threads: 1 }),
});
