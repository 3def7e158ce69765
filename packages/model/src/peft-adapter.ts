/**
 * An adapter as the PEFT project writes it: `adapter_config.json` beside `adapter_model.safetensors`.
 * Linears that it leaves alone get zeros, which change nothing.
 * Source: PEFT's LoraConfig; Kalajdzievski 2023, rsLoRA, arXiv 2312.03732, for its scale.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor } from "@waggle/protocol";
import { loraName, loraParameters } from "./adapter.ts";
import type { Adapter } from "./adapter.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { elementCount } from "./shape.ts";
import { readSafetensors } from "./safetensors.ts";

/** Members of the config that make an adapter more than B·A·alpha/rank at each linear. */
const UNSUPPORTED = [
  "use_dora",
  "fan_in_fan_out",
  "modules_to_save",
  "rank_pattern",
  "alpha_pattern",
];

/**
 * @param configJson - parsed `adapter_config.json`.
 * @param bytes - `adapter_model.safetensors`, in any number format.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` where it is no plain LoRA of this decoder,
 *   `MODEL_CORRUPT` on broken bytes.
 */
export function readPeftAdapter(
  configJson: unknown,
  bytes: Uint8Array,
  config: DecoderConfig,
): Adapter {
  const members = (typeof configJson === "object" && configJson) || {};
  const { peft_type, r, lora_alpha, use_rslora, bias } = members as Record<string, unknown>;
  if (peft_type !== "LORA") throw incompatible("peft_type", '"LORA"', peft_type);
  if (typeof r !== "number" || !Number.isInteger(r) || r < 1 || r > 4096) {
    throw incompatible("r", "a rank from 1 to 4096", r);
  }
  if (typeof lora_alpha !== "number" || !Number.isFinite(lora_alpha)) {
    throw incompatible("lora_alpha", "a finite number", lora_alpha);
  }
  if (bias !== undefined && bias !== "none") throw incompatible("bias", '"none"', bias);
  for (const name of UNSUPPORTED) {
    const value = (members as Record<string, unknown>)[name];
    const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
    if (value !== undefined && value !== false && !isEmpty) {
      throw incompatible(name, "false or empty", value);
    }
  }
  // rsLoRA scales by alpha / √r, which is that of a plain adapter with alpha · √r.
  const alpha = use_rslora === true ? lora_alpha * Math.sqrt(r) : lora_alpha;
  return { rank: r, alpha, tensors: withZeros(readSafetensors(bytes).tensors, config, r) };
}

function withZeros(
  stored: ReadonlyMap<string, Tensor>,
  config: DecoderConfig,
  rank: number,
): Map<string, Tensor> {
  const tensors = new Map(stored);
  for (const { name, shape } of loraParameters(config, rank)) {
    const linear = name.replace(/^base_model\.model\./, "").replace(/\.lora_[AB]\.weight$/, "");
    const isLeftAlone = !stored.has(loraName(linear, "A")) && !stored.has(loraName(linear, "B"));
    if (isLeftAlone) tensors.set(name, { shape, data: new Float32Array(elementCount(shape)) });
  }
  return tensors;
}

function incompatible(member: string, wanted: string, got: unknown): WaggleError {
  const value = JSON.stringify(got)?.slice(0, 200) ?? "nothing";
  return new WaggleError(
    "ADAPTER_INCOMPATIBLE",
    `${member} of an adapter_config.json must be ${wanted}, got ${value}; export a plain LoRA`,
  );
}
