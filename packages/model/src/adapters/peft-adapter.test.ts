import { expect, test } from "vitest";
import { writeSafetensors } from "../files/safetensors.ts";
import { initializeAdapter, loraName } from "./adapter.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { readPeftAdapter } from "./peft-adapter.ts";

const config: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 32,
  width: 8,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headSize: 4,
  feedForwardSize: 8,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 128,
  ropeScaling: null,
};
const { tensors } = initializeAdapter(config, { rank: 2, alpha: 4, seed: 1 });
const json = { peft_type: "LORA", r: 2, lora_alpha: 4 };
const NAME = "model.layers.0.self_attn.q_proj";

test.each([
  ["claims a huge rank without numbers", [2 ** 50, 0]],
  ["has rank 0", [0, 8]],
  ["has no dimensions", []],
])("an adapter whose tensor %s is refused", (_, shape) => {
  const count = shape.reduce((product, size) => product * size, 1);
  const odd = { shape, data: new Float32Array(count) };
  const bytes = writeSafetensors(new Map([...tensors, [loraName(NAME, "A"), odd]]));
  const read = () => readPeftAdapter(json, bytes, config);
  expect(read).toThrow(/must have ranks from 1 to 4096, got .*q_proj/);
  expect(read).toThrow(expect.objectContaining({ code: "ADAPTER_INCOMPATIBLE" }) as Error);
});

test("tensors of other ranks are padded to the largest", () => {
  const names = [loraName(NAME, "A"), loraName(NAME, "B")] as const;
  const [a, b] = names.map((name) => tensors.get(name)!);
  const wide = new Map([
    ...tensors,
    [names[0], { shape: [3, a!.shape[1]!], data: new Float32Array(3 * a!.shape[1]!).fill(1) }],
    [names[1], { shape: [b!.shape[0]!, 3], data: new Float32Array(3 * b!.shape[0]!).fill(1) }],
  ]);
  const adapter = readPeftAdapter(json, writeSafetensors(wide), config);
  expect(adapter).toMatchObject({ rank: 3, alpha: 3 });
  expect(
    new Set([...adapter.tensors].map(([name, { shape }]) => shape[name.includes("_A") ? 0 : 1])),
  ).toEqual(new Set([3]));
});
