/** The native CPU back end against the plain decoder. */
import { createNodeBackend } from "../node/node-backend.ts";
import { agreementModels } from "./agreement-models.ts";
import { backendAgreementContract, EDGE_LENGTHS } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the Node back end",
  create: async (config, weights, dtype) =>
    createNodeBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 1 }),
  models: agreementModels(["f32", "int8", "int4"]),
});

backendAgreementContract({
  name: "the Node back end with quantized products, as large models have them,",
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
});
