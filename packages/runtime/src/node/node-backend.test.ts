import { backendAgreementContract } from "../agreement/backend-agreement.contract.ts";
import { createNodeBackend } from "./node-backend.ts";

backendAgreementContract({
  name: "the Node back end",
  create: async (config, weights) =>
    createNodeBackend({ config, weights, contextLength: config.contextLength, threads: 1 }),
});
