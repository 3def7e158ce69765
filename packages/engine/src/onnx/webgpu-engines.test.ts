import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sampleSize } from "../../../../test/fixtures/long.ts";
import { swiftShaderEnvironment } from "../../../../scripts/swiftshader.mjs";

/** Runs the fixture in its own process, because Vulkan drivers are located by its environment. */
async function runOnWebGpu(device: string, environment: NodeJS.ProcessEnv): Promise<unknown> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=source", join(import.meta.dirname, "webgpu-engines.fixture.ts"), device],
    { env: { ...process.env, ...environment } },
  );
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** A software adapter shares two cores with everything else; only a hang takes this long. */
const PATIENCE = 240_000;

const DEVICES: readonly (readonly [device: string, name: RegExp])[] = [
  ["webgpu", /^onnx webgpu .+\/.+/],
  ["reference-webgpu", /^tfjs webgpu .+\/.+/],
  ["webgpu by layers", /^onnx webgpu .+\/.+/],
];

// One after another, because each uses all cores to build its pipelines. `npm test` runs the first of three.
test.each(DEVICES.slice(0, sampleSize(1, DEVICES.length)))(
  "on %s results match PyTorch and the CPU, or the missing device is reported",
  async (device, name) => {
    const environment = swiftShaderEnvironment();
    const report = await runOnWebGpu(device, environment ?? {});
    const works = {
      device: expect.stringMatching(name) as string,
      logProbError: expect.closeTo(0, 4) as number,
      gradientError: expect.closeTo(0, 4) as number,
      everythingError: expect.closeTo(0, 4) as number,
    };
    const isMissing = environment === undefined && "code" in (report as object);
    expect(report).toEqual(isMissing ? { code: "DEVICE_UNAVAILABLE" } : works);
  },
  PATIENCE,
);

test("f16 is refused on an adapter without it, and without a driver", async () => {
  const environment = swiftShaderEnvironment();
  const code = environment === undefined ? "DEVICE_UNAVAILABLE" : "CAPABILITY_MISSING";
  expect(await runOnWebGpu("webgpu in f16", environment ?? {})).toEqual({ code });
}, 60_000);

test("without a driver WebGPU is refused with DEVICE_UNAVAILABLE", async () => {
  const none = { VK_ICD_FILENAMES: "/nowhere.json", LD_LIBRARY_PATH: "/nowhere" };
  expect(await runOnWebGpu("webgpu", none)).toEqual({ code: "DEVICE_UNAVAILABLE" });
});
