/** The native CPU backend against the plain decoder. */
import { createNodeBackend } from "../node/node-backend.ts";
import { agreementModels } from "./agreement-models.ts";
import { backendAgreementContract, EDGE_LENGTHS } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the Node backend",
  create: async (config, weights, dtype) =>
    createNodeBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 1 }),
  models: agreementModels(["f32", "int8", "int4"]),
  // The goldens of `node/golden-decoder.test.ts` have every type.
  sample: ["qwen3 in f32", "qwen3 in int8", "qwen3 in int4", "gemma3_text in f32"],
});

backendAgreementContract({
  name: "the Node backend with quantized products, as for large models,",
  create: async (config, weights, dtype) =>
    createNodeBackend({
      config,
      weights,
      dtype,
      contextLength: config.contextLength,
      threads: 1,
      expandsQuantized: false,
    }),
  models: agreementModels(["int8", "int4"]).slice(0, 2),
  prefillLengths: EDGE_LENGTHS,
  sample: ["qwen3 in int4"],
});
