import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { swiftShaderEnvironment } from "../../../scripts/swiftshader.mjs";

/** In a process of its own: a Vulkan driver is found by the environment a process starts with. */
async function runOnWebGpu(environment: NodeJS.ProcessEnv): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=source", join(import.meta.dirname, "tfjs-webgpu.fixture.ts")],
    { env: { ...process.env, ...environment } },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

test("on WebGPU outputs and gradients are PyTorch's, or the lack of a device is said", async () => {
  const environment = swiftShaderEnvironment();
  const report = await runOnWebGpu(environment ?? {});
  const works = {
    device: expect.stringMatching(/^tfjs webgpu .+\/.+/),
    logProbError: expect.closeTo(0, 4),
    gradientError: expect.closeTo(0, 4),
  };
  const isMissing = environment === undefined && "code" in (report as object);
  expect(report).toEqual(isMissing ? { code: "DEVICE_UNAVAILABLE" } : works);
});
