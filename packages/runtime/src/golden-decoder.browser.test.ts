import { expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { createBrowserPolicy } from "./browser-policy.ts";
import { expectGolden, goldenModelFiles } from "./golden-decoder.fixture.ts";

/** llama has qwen3's kernels, and compiling them takes most of the time on a software device. */
const ON_WEBGPU = isLong() ? (["qwen3", "llama"] as const) : (["qwen3"] as const);

test.each([
  ["wasm", "qwen3"],
  ["wasm", "llama"],
  ["wasm", "qwen2"],
  ["wasm", "gemma3_text"],
  ["wasm", "smollm3"],
  ["wasm", "lfm2"],
  ...ON_WEBGPU.map((modelType) => ["webgpu", modelType] as const),
] as const)("on %s, scores of a %s decoder equal PyTorch's to 1e-4", async (device, modelType) => {
  const read = async (name: string) => {
    const response = await fetch(`/test/golden/decoder/${modelType}/${name}`);
    expect(response.ok).toBe(true);
    return new Uint8Array(await response.arrayBuffer());
  };
  const policy = await createBrowserPolicy({
    modelFiles: await goldenModelFiles(read),
    baseModel: "0".repeat(64),
    device,
  });
  expect(policy.client.backend).toBe(device);
  await expectGolden(policy, read, { everyTemperature: device === "wasm" });
  await policy.dispose();
});
