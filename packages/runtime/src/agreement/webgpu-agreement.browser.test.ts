/**
 * The WebGPU backend on Chromium's software device against the plain decoder, and the self-check of
 * that device, whose attention is silently wrong for runs of 32 and more tokens.
 */
import { expect, test } from "vitest";
import { isLong } from "../../../../test/fixtures/long.ts";
import type { DecoderBackend } from "../backend/decoder-backend.ts";
import { createModuleGraph } from "../backend/webgpu/module-graph.ts";
import { createWebgpuBackend } from "../backend/webgpu/webgpu-backend.ts";
import { requestWebgpuDevice } from "../backend/webgpu/webgpu-device.ts";
import { agreementModels, QWEN3 } from "./agreement-models.ts";
import { backendAgreementContract } from "./backend-agreement.contract.ts";
import { selfCheck, WEBGPU_LADDER } from "./self-check.ts";

/** Every short run; `npm test` only covers the edges of blocks. Each takes a second here. */
const SHORT_RUNS = isLong() ? Array.from({ length: 33 }, (_, i) => i + 1) : [1, 33];
/** The edges of blocks and of the longest run. */
const EDGES = isLong() ? [63, 64, 65, 128, 255, 256, 257, 600] : [257];
/**
 * Compiling shaders for each model takes most of the time. llama and qwen2 have qwen3's kernels,
 * and int4 models cover int8's products. lfm2's own kernels also have a golden test of their graph.
 */
const LEFT_OUT = ["llama", "qwen2", ...(isLong() ? [] : ["gemma3_text", "smollm3", "lfm2"])];

backendAgreementContract({
  name: "the WebGPU backend",
  create: async (config, weights, dtype) => {
    // One model as the self-check configures this device; the others with subgroup kernels.
    const asChecked = config === QWEN3 && dtype === "f32";
    return createWebgpuBackend({
      createGraph: createModuleGraph,
      device: await requestWebgpuDevice(navigator.gpu, { subgroups: !asChecked }),
      config,
      weights,
      dtype,
      contextLength: config.contextLength,
      ...(asChecked && { quirks: { maxRunTokens: 256 } }),
    });
  },
  models: agreementModels(["f32", "int4"]).filter(
    ({ config }) => !LEFT_OUT.includes(config.modelType),
  ),
  prefillLengths: [...SHORT_RUNS, ...EDGES],
  otherLengths: [1, 17, 31, 32, 63],
  maxRows: 3,
});

test.runIf(isLong())(
  "a self-check detects wrong long runs on the software device and works around them",
  async () => {
    const opened: DecoderBackend[] = [];
    const result = await selfCheck({
      config: QWEN3,
      dtype: "f32",
      activations: "f32",
      ladder: WEBGPU_LADDER,
      open: async (config, weights, { subgroups, ...quirks }) => {
        const backend = await createWebgpuBackend({
          createGraph: createModuleGraph,
          device: await requestWebgpuDevice(navigator.gpu, { subgroups: subgroups ?? true }),
          config,
          weights,
          contextLength: config.contextLength,
          adapters: true,
          quirks,
        });
        opened.push(backend);
        return backend;
      },
    });
    for (const backend of opened) await backend.dispose();
    expect(result).toMatchObject({
      verdict: "workaround",
      workaround: { maxRunTokens: 256, subgroups: false },
    });
    const off = /off by ([\d.]+)/.exec("why" in result ? result.why : "");
    expect(Number(off?.[1])).toBeGreaterThan(0.1);
  },
);
