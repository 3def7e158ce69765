/**
 * Training steps on the machine's GPU through WebGPU and CUDA, each provider in a process of its own.
 * Without a GPU it runs tiny sizes on a software adapter, and fails if there is none.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { swiftShaderEnvironment } from "../../../../scripts/swiftshader.mjs";
import type { BenchRow } from "../../../runtime/bench/row.ts";
import { isCudaInstalled } from "../../src/onnx/cuda-libraries.ts";
import { webGpuAdapter } from "../../src/onnx/webgpu-adapter.ts";
import type { GpuOptions } from "../gpu/gpu-program.ts";
import type { EngineScenario } from "../scenario.ts";

export const gpu: EngineScenario = {
  name: "gpu",
  description:
    "tokens/s, share of the GPU's ceilings and bytes fed, 0.1 B and 0.6 B, WebGPU and CUDA",
  run: async function* ({ quick, report }) {
    const adapter = await webGpuAdapter();
    if (adapter === undefined) {
      report("   no GPU found; running tiny sizes on Chromium's software adapter");
      yield* softwareRows();
    } else {
      const size = adapter.isSoftware ? "tiny" : "real";
      yield* measuredRows({ provider: "webgpu", size, quick });
    }
    if (isCudaInstalled()) yield* measuredRows({ provider: "cuda", size: "real", quick });
    else report("   onnxruntime-node has no CUDA here; its rows are left out");
  },
};

/** Tiny sizes on Chromium's software adapter. */
export function softwareRows(): AsyncGenerator<BenchRow> {
  const environment = swiftShaderEnvironment();
  if (environment === undefined) {
    throw new Error(
      "no WebGPU adapter found; install a Vulkan driver, or Chromium for its software adapter",
    );
  }
  return measuredRows({ provider: "webgpu", size: "tiny", quick: false }, environment);
}

/** @param environment added to this process's; drivers are located by it. */
export async function* measuredRows(
  options: GpuOptions,
  environment: Readonly<Record<string, string>> = {},
): AsyncGenerator<BenchRow> {
  const program = join(import.meta.dirname, "../gpu/gpu-program.ts");
  const args = ["--conditions=source", program, JSON.stringify(options)];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...environment },
  });
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    yield JSON.parse(line) as BenchRow;
  }
  const code = await closed;
  if (code !== 0) throw new Error(`measuring ${options.provider} failed with exit code ${code}`);
}
