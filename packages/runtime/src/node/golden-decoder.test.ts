import { readFile } from "node:fs/promises";
import { parseDecoderConfig, readSafetensors } from "@waggle/model";
import { expect, test } from "vitest";
import { expectGolden, goldenModelFiles } from "../golden-decoder.fixture.ts";
import { createNodePolicy } from "./node-policy.ts";

test.each([
  ["qwen3", "merge"],
  ["qwen3", "inputs"],
  ["llama", "merge"],
  ["llama", "inputs"],
  ["qwen2", "inputs"],
  ["gemma3_text", "merge"],
  ["gemma3_text", "inputs"],
  ["smollm3", "inputs"],
  ["lfm2", "merge"],
  ["lfm2", "inputs"],
] as const)(
  "scores of a %s decoder, adapter by %s, equal PyTorch's to 1e-4",
  async (modelType, adapterStrategy) => {
    const folder = new URL(`../../../../test/golden/decoder/${modelType}/`, import.meta.url);
    const read = (name: string) => readFile(new URL(name, folder));
    const files = await goldenModelFiles(read);
    const policy = await createNodePolicy({
      config: parseDecoderConfig(JSON.parse(new TextDecoder().decode(files.get("config.json")))),
      weights: readSafetensors(files.get("model.safetensors") as Uint8Array).tensors,
      baseModel: "0".repeat(64),
      adapterStrategy,
      maxRunTokens: 31,
    });
    expect(policy.client.backend).toBe("node-cpu");
    await expectGolden(policy, read);
    await policy.dispose();
  },
);
