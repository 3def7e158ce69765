/** The WASM backend on several threads, in a cross-origin isolated page. */
import { expect, test } from "vitest";
import { agreementModels } from "../../agreement/agreement-models.ts";
import { backendAgreementContract } from "../../agreement/backend-agreement.contract.ts";
import { createWasmBackend } from "./wasm-backend.ts";

test("the page is isolated", () => {
  expect(crossOriginIsolated).toBe(true);
});

backendAgreementContract({
  name: "the WASM backend on two threads",
  create: (config, weights, dtype) =>
    createWasmBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 2 }),
  models: agreementModels(["f32"]).slice(0, 1),
});
