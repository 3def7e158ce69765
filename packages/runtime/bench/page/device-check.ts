/** Measures the self-check of a visitor's device: alone, and as part of the time to first tokens. */
import { createModuleGraph } from "../../src/backend/webgpu/module-graph.ts";
import { webgpuModule } from "../../src/backend/webgpu/webgpu-module.ts";
import { checkDevice } from "../../src/worker/checked-device.ts";
import { webgpuWorkerDevice } from "../../src/worker/webgpu-worker-device.ts";
import { BENCH_CONFIGS, benchPrompt, benchWeights } from "../bench-models.ts";
import type { BenchModelName } from "../bench-models.ts";
import { generateOurs, loadOurs } from "./our-policy.ts";

export type DeviceCheckOptions = {
  readonly model: BenchModelName;
  /** `check`: the check alone. `visit`: opens a policy, reads a prompt and samples. */
  readonly what: "check" | "visit";
  /** The page's storage from an earlier visit. */
  readonly stored: Readonly<Record<string, string>>;
};

export type DeviceCheckResult = {
  readonly ms: number;
  /** The page's storage afterwards. */
  readonly stored: Readonly<Record<string, string>>;
};

/** Lengths of a short and a long prompt, so that kernels for both are compiled. */
const PROMPTS = [20, 40];

export async function measure(options: DeviceCheckOptions): Promise<DeviceCheckResult> {
  const { model, what, stored } = options;
  localStorage.clear();
  for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
  const ms = what === "check" ? await check(model) : await visit(model);
  return { ms, stored: Object.fromEntries(Object.entries(localStorage)) };
}

async function check(model: BenchModelName): Promise<number> {
  await webgpuModule();
  const config = BENCH_CONFIGS[model];
  const start = performance.now();
  const { check: found, release } = await checkDevice(
    webgpuWorkerDevice(createModuleGraph),
    {
      baseModel: "0".repeat(64),
      config,
      weights: benchWeights(model),
      dtype: "f32",
      contextLength: config.contextLength,
      threads: 1,
      maxRunTokens: undefined,
      adapterStrategy: undefined,
      adapterRank: 16,
      avoidsSubgroups: false,
      avoidsSimd: false,
    },
    "bench",
    {},
  );
  const ms = performance.now() - start;
  await release();
  if (found.result.verdict === "refused") throw new Error(found.result.why);
  return ms;
}

async function visit(model: BenchModelName): Promise<number> {
  const start = performance.now();
  const policy = await loadOurs(model, "webgpu", 1);
  for (const length of PROMPTS) await generateOurs(policy, benchPrompt(model, length), 4);
  const ms = performance.now() - start;
  await policy.dispose();
  return ms;
}
