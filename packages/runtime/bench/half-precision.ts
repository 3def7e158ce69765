/**
 * The agreement suite in f16, for WebGPU devices with `shader-f16`, which Chromium's software
 * device does not have. Run manually with a `navigator.gpu` installed by the caller: see
 * docs/evidence/appendix/runtime.md.
 */
import { roundedWeights } from "@waggle/model";
import { AGREEMENT_CASES } from "../src/agreement/agreement-cases.ts";
import { agreementModels } from "../src/agreement/agreement-models.ts";
import { randomDecoderWeights } from "../src/agreement/random-decoder.ts";
import { createApiGraph } from "../src/backend/webgpu/api-graph.ts";
import { BranchSteps } from "../src/backend/webgpu/branch-steps.ts";
import { createWebgpuBackend } from "../src/backend/webgpu/webgpu-backend.ts";
import { requestWebgpuDevice } from "../src/backend/webgpu/webgpu-device.ts";

const PREFILLS = [1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 257];

const dtype = "f16";
for (const { config } of agreementModels([dtype])) {
  const device = await requestWebgpuDevice(navigator.gpu);
  const stored = randomDecoderWeights(config, 3);
  const weights = roundedWeights(config, stored, dtype, "f16");
  const backend = await createWebgpuBackend({
    createGraph: async (...all) => ({
      ...(await createApiGraph(...all)),
      loadBranches: async () => BranchSteps,
    }),
    device,
    config,
    weights: stored,
    dtype,
    contextLength: config.contextLength,
  });
  console.log(`${config.modelType}, computed in ${backend.dtype}, ${backend.kernels}`);
  for (const { title: name, run } of AGREEMENT_CASES) {
    const deviation = await run({ backend, config, weights, prefillLengths: PREFILLS, maxRows: 4 });
    const { nats, where, count } = deviation;
    console.log(`  ${nats.toExponential(1)} nats of ${count}: ${name} (${where})`);
  }
  await backend.dispose();
}
process.exit(0); // Dawn keeps the process alive
