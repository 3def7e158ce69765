/** The native CPU back end against the plain decoder. */
import { createNodeBackend } from "../node/node-backend.ts";
import { agreementModels } from "./agreement-models.ts";
import { backendAgreementContract } from "./backend-agreement.contract.ts";

backendAgreementContract({
  name: "the Node back end",
  create: async (config, weights, dtype) =>
    createNodeBackend({ config, weights, dtype, contextLength: config.contextLength, threads: 1 }),
  models: agreementModels(["f32", "int8", "int4"]),
});
