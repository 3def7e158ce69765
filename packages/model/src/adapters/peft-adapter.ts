/**
 * Reads an adapter as the PEFT project writes it: `adapter_config.json` and
 * `adapter_model.safetensors`. Linears without an adapter get zeros, smaller ranks are padded with
 * zeros, and a linear's own alpha is folded into its B.
 * Source: PEFT's LoraConfig; Kalajdzievski 2023, rsLoRA, arXiv 2312.03732, for its scale.
 */
import { isObject, WaggleError } from "@waggle/protocol";
import type { Tensor } from "@waggle/protocol";
import { allLinears, loraName, loraParameters } from "./adapter.ts";
import type { Adapter } from "./adapter.ts";
import type { DecoderConfig } from "../decoder/decoder-config.ts";
import { elementCount } from "../shape.ts";
import { shownValue } from "../shown-value.ts";
import { readSafetensors } from "../files/safetensors.ts";

/** Largest rank of an adapter. */
const MOST_RANK = 4096;

/** Members of the config that make an adapter more than B·A·alpha/rank at each linear. */
const UNSUPPORTED = ["use_dora", "fan_in_fan_out", "modules_to_save"];

/**
 * @param configJson - parsed `adapter_config.json`.
 * @param bytes - `adapter_model.safetensors`, in any number format.
 * @throws WaggleError `ADAPTER_INCOMPATIBLE` if it is not a plain LoRA for this decoder,
 *   `MODEL_CORRUPT` on broken bytes.
 */
export function readPeftAdapter(
  configJson: unknown,
  bytes: Uint8Array,
  config: DecoderConfig,
): Adapter {
  const members = isObject(configJson) ? configJson : {};
  const { peft_type, r, lora_alpha, use_rslora, bias } = members;
  if (peft_type !== "LORA") throw incompatible("peft_type", '"LORA"', peft_type);
  if (!isRank(r)) throw incompatible("r", `a rank from 1 to ${MOST_RANK}`, r);
  if (typeof lora_alpha !== "number" || !Number.isFinite(lora_alpha)) {
    throw incompatible("lora_alpha", "a finite number", lora_alpha);
  }
  if (bias !== undefined && bias !== "none") throw incompatible("bias", '"none"', bias);
  for (const name of UNSUPPORTED) {
    const value = members[name];
    const isEmpty = typeof value === "object" && Object.keys(value ?? {}).length === 0;
    if (value !== undefined && value !== false && !isEmpty) {
      throw incompatible(name, "false or empty", value);
    }
  }
  const strengths = Object.entries((members as { alpha_pattern?: object }).alpha_pattern ?? {});
  for (const [name, value] of strengths) {
    // PEFT allows regular expressions; only names are supported here
    if (!/^[\w.]+$/.test(name) || !Number.isFinite(value)) {
      throw incompatible("alpha_pattern", "numbers by names", name);
    }
  }
  const stored = readSafetensors(bytes).tensors;
  // rsLoRA scales by alpha / √r, as a plain adapter with alpha · √r does.
  const plainAlpha = (alpha: number, rank: number): number =>
    use_rslora === true ? alpha * Math.sqrt(rank) : alpha;
  // The shape shows the rank that rank_pattern gave a linear.
  const ranks = Array.from(stored, ([name, { shape }]) => shape[name.includes("lora_A") ? 0 : 1]);
  // A tensor without numbers could claim any rank, to which the others are padded.
  if (!ranks.every(isRank)) {
    const shapes = Array.from(stored, ([name, { shape }]) => `${name} [${shape.join(", ")}]`);
    const odd = shapes[ranks.findIndex((rank) => !isRank(rank))]?.slice(0, 200);
    throw new WaggleError(
      "ADAPTER_INCOMPATIBLE",
      `the tensors of an adapter must have ranks from 1 to ${MOST_RANK}, got ${odd}; export a plain LoRA`,
    );
  }
  if (strengths.length === 0 && ranks.every((rank) => rank === r)) {
    return { rank: r, alpha: plainAlpha(lora_alpha, r), tensors: withZeros(stored, config, r) };
  }
  const rank = Math.max(...ranks);
  const tensors = new Map(stored);
  for (const { name } of allLinears(config)) {
    const a = stored.get(loraName(name, "A"));
    const b = stored.get(loraName(name, "B"));
    if (!a || !b) continue;
    const own = a.shape[0] as number;
    const strength = strengths.find(([end]) => `.${name}`.endsWith(`.${end}`))?.[1] as
      | number
      | undefined;
    tensors.set(loraName(name, "A"), padded(a, [rank, a.shape[1] as number], 1));
    // alpha equals the rank below, so B carries the whole scale
    const scale = plainAlpha(strength ?? lora_alpha, own) / own;
    tensors.set(loraName(name, "B"), padded(b, [b.shape[0] as number, rank], scale));
  }
  return { rank, alpha: rank, tensors: withZeros(tensors, config, rank) };
}

function isRank(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= MOST_RANK;
}

/** The matrix times `scale`, padded with zeros to a larger one. */
function padded(
  { shape, data }: Tensor,
  [rows, columns]: readonly [number, number],
  scale: number,
): Tensor {
  const from = shape[1] ?? 0;
  const larger = new Float32Array(rows * columns);
  data.forEach((value, i) => (larger[Math.floor(i / from) * columns + (i % from)] = scale * value));
  return { shape: [rows, columns], data: larger };
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
  return new WaggleError(
    "ADAPTER_INCOMPATIBLE",
    `${member} of an adapter_config.json must be ${wanted}, got ${shownValue(got)}; export a plain LoRA`,
  );
}
