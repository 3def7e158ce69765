import { WaggleError } from "@waggle/protocol";
import { expect, test } from "vitest";
import {
  adapterGraphInputs,
  initializeAdapter,
  loraParameters,
  readAdapter,
  writeAdapter,
} from "./adapter.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { decoderParameters, initializeDecoder } from "../decoder/decoder-parameters.ts";
import { parameterCount } from "../decoder/parameter-count.ts";
import { mergeAdapter } from "../weights/merged-weights.ts";
import { readSafetensors, writeSafetensors } from "../files/safetensors.ts";

const config: DecoderConfig = {
  modelType: "qwen3",
  vocabularySize: 11,
  width: 6,
  layers: 2,
  heads: 2,
  keyValueHeads: 1,
  headSize: 4,
  feedForwardSize: 10,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-6,
  tiedEmbeddings: true,
  contextLength: 32,
  ropeScaling: null,
};
const options = { rank: 2, alpha: 8, seed: 1 };

function code(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (WaggleError.is(error)) return error.code;
    throw error;
  }
  return undefined;
}

test("tensors have Hugging Face's and PEFT's names and shapes", () => {
  const names = decoderParameters(config).map(({ name }) => name);
  expect(names).toContain("model.layers.1.self_attn.q_norm.weight");
  expect(names).not.toContain("lm_head.weight");
  // 11·6 + 2·(2·6 norms + 6·8 q + 2·6·4 kv + 8·6 o + 3·60 mlp + 2·4 head norms) + 6
  expect(parameterCount(config)).toBe(66 + 2 * (12 + 48 + 48 + 48 + 180 + 8) + 6);
  const untied = decoderParameters({ ...config, modelType: "llama", tiedEmbeddings: false });
  expect(untied.at(-1)).toEqual({ kind: "head", name: "lm_head.weight", shape: [11, 6] });
  expect(untied.some(({ name }) => name.includes("q_norm"))).toBe(false);
  const lora = loraParameters(config, 2);
  expect(lora.length).toBe(2 * 7 * 2);
  expect(lora[0]).toEqual({
    name: "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight",
    shape: [2, 6],
  });
  expect(lora.at(-1)).toEqual({
    name: "base_model.model.model.layers.1.mlp.down_proj.lora_B.weight",
    shape: [6, 2],
  });
});

test("weights depend only on the seed", () => {
  const weights = initializeDecoder(config, 1);
  expect(initializeDecoder(config, 1)).toEqual(weights);
  const name = "model.layers.0.mlp.up_proj.weight";
  expect(initializeDecoder(config, 2).get(name)).not.toEqual(weights.get(name));
  expect(weights.get("model.norm.weight")?.data.every((value) => value === 1)).toBe(true);
  const wide = initializeDecoder({ ...config, width: 64 }, 3).get(name)!.data;
  const deviation = Math.sqrt(wide.reduce((sum, value) => sum + value * value, 0) / wide.length);
  expect(deviation).toBeGreaterThan(0.018);
  expect(deviation).toBeLessThan(0.022);
});

test("merging a fresh adapter changes no bit of the base", () => {
  const weights = initializeDecoder(config, 1);
  expect(mergeAdapter(config, weights, initializeAdapter(config, options))).toEqual(weights);
});

test("merging adds alpha/rank times B·A", () => {
  const weights = initializeDecoder(config, 1);
  const adapter = initializeAdapter(config, options);
  const linear = "model.layers.1.self_attn.k_proj";
  const a = adapter.tensors.get(`base_model.model.${linear}.lora_A.weight`)!.data;
  const b = adapter.tensors.get(`base_model.model.${linear}.lora_B.weight`)!.data;
  b.set([0.5, -1], 3 * 2); // output 3
  const merged = mergeAdapter(config, weights, adapter).get(`${linear}.weight`)!.data;
  const base = weights.get(`${linear}.weight`)!.data;
  for (let i = 0; i < 6; i++) {
    expect(merged[3 * 6 + i]).toBeCloseTo(base[3 * 6 + i]! + 4 * (0.5 * a[i]! - a[6 + i]!), 6);
    expect(merged[2 * 6 + i]).toBe(base[2 * 6 + i]);
  }
});

test("graph inputs are transposed, scaled and padded to the graph's rank", () => {
  const adapter = initializeAdapter(config, options);
  const name = "base_model.model.model.layers.0.mlp.down_proj";
  const b = adapter.tensors.get(`${name}.lora_B.weight`)!.data;
  b.set([1, 2], 0);
  const inputs = adapterGraphInputs(config, adapter, 3);
  const a = adapter.tensors.get(`${name}.lora_A.weight`)!.data;
  const aInput = inputs.get(`${name}.lora_A.weight`)!;
  expect(aInput.shape).toEqual([10, 3]);
  expect([...aInput.data.subarray(0, 6)]).toEqual([a[0], a[10], 0, a[1], a[11], 0]);
  const bInput = inputs.get(`${name}.lora_B.weight`)!;
  expect(bInput.shape).toEqual([3, 6]);
  expect([bInput.data[0], bInput.data[6], bInput.data[12]]).toEqual([4, 8, 0]);
  expect([...inputs.keys()]).toEqual(loraParameters(config, 3).map(({ name: n }) => n));
});

test("a written adapter reads back and has what PEFT needs to load it", () => {
  const adapter = initializeAdapter(config, options);
  const bytes = writeAdapter(adapter, config);
  expect(readAdapter(bytes, options, config)).toEqual({
    rank: 2,
    alpha: 8,
    tensors: adapter.tensors,
  });
  const metadata = JSON.parse(readSafetensors(bytes).metadata["adapter_config"]!);
  expect(metadata).toMatchObject({ peft_type: "LORA", r: 2, lora_alpha: 8 });
});

test("an adapter for another decoder, of another rank or with non-finite numbers is refused", () => {
  const adapter = initializeAdapter(config, options);
  const bytes = writeAdapter(adapter, config);
  const refused = (run: () => unknown): void => {
    expect(code(run)).toBe("ADAPTER_INCOMPATIBLE");
  };
  refused(() => readAdapter(bytes, { rank: 3, alpha: 8 }, config));
  refused(() => readAdapter(bytes, options, { ...config, layers: 1 }));
  refused(() => readAdapter(bytes, options, { ...config, layers: 3 }));
  refused(() => readAdapter(bytes, options, { ...config, width: 8 }));
  refused(() => adapterGraphInputs(config, adapter, 1));
  const first = [...adapter.tensors.values()][0]!;
  first.data[1] = NaN;
  refused(() => readAdapter(writeSafetensors(adapter.tensors), options, config));
  expect(code(() => readAdapter(bytes.subarray(0, 100), options, config))).toBe("MODEL_CORRUPT");
});
