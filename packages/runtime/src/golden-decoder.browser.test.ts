import { expect, test } from "vitest";
import { createBrowserPolicy } from "./browser-policy.ts";
import { expectGolden, goldenModelFiles } from "./golden-decoder.fixture.ts";

test.each([
  ["wasm", "qwen3"],
  ["wasm", "llama"],
  ["wasm", "qwen2"],
  ["wasm", "gemma3_text"],
  ["wasm", "smollm3"],
  ["wasm", "lfm2"],
  ["webgpu", "qwen3"],
  ["webgpu", "llama"],
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
