/**
 * An adapter as the PEFT project writes it: `adapter_config.json` beside `adapter_model.safetensors`.
 * Linears that it leaves alone get zeros, which change nothing; smaller ranks are padded with them,
 * and a strength of a linear's own goes into its B.
 * Source: PEFT's LoraConfig; Kalajdzievski 2023, rsLoRA, arXiv 2312.03732, for its scale.
 */
import { WaggleError } from "@waggle/protocol";
import type { Tensor } from "@waggle/protocol";
import { allLinears, loraName, loraParameters } from "./adapter.ts";
import type { Adapter } from "./adapter.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { elementCount } from "./shape.ts";
import { readSafetensors } from "./safetensors.ts";

/** Members of the config that make an adapter more than B·A·alpha/rank at each linear. */
const UNSUPPORTED = ["use_dora", "fan_in_fan_out", "modules_to_save"];

/** Numbers of single linears, by the end of their names. PEFT takes expressions; names are enough. */
type Pattern = ReadonlyMap<string, number>;

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
  const patterns = {
    rank: patternOf(members, "rank_pattern"),
    alpha: patternOf(members, "alpha_pattern"),
  };
  const stored = readSafetensors(bytes).tensors;
  // rsLoRA scales by alpha / √r, which is that of a plain adapter with alpha · √r.
  const alphaAt = (alpha: number, rank: number): number =>
    use_rslora === true ? alpha * Math.sqrt(rank) : alpha;
  if (patterns.rank.size === 0 && patterns.alpha.size === 0) {
    return { rank: r, alpha: alphaAt(lora_alpha, r), tensors: withZeros(stored, config, r) };
  }
  const rank = Math.max(r, ...patterns.rank.values());
  const tensors = new Map(stored);
  for (const { name } of allLinears(config)) {
    const own = atEndOf(patterns.rank, name) ?? r;
    const ownAlpha = alphaAt(atEndOf(patterns.alpha, name) ?? lora_alpha, own);
    const [a, b] = (["A", "B"] as const).map((side) => stored.get(loraName(name, side)));
    if (a?.shape[0] !== own || b?.shape[1] !== own) continue; // left alone, or refused by its shape
    tensors.set(loraName(name, "A"), padded(a, [rank, a.shape[1] ?? 0], 1));
    // alpha = rank below, so the whole strength is in B
    tensors.set(loraName(name, "B"), padded(b, [b.shape[0] ?? 0, rank], ownAlpha / own));
  }
  return { rank, alpha: rank, tensors: withZeros(tensors, config, rank) };
}

/** The numbers of `rank_pattern` or `alpha_pattern`. */
function patternOf(members: object, member: "rank_pattern" | "alpha_pattern"): Pattern {
  const value = (members as Record<string, unknown>)[member] ?? {};
  const entries = typeof value === "object" ? Object.entries(value) : [];
  const isRight = ([name, number]: [string, unknown]): boolean =>
    /^[\w.]+$/.test(name) &&
    typeof number === "number" &&
    (member === "alpha_pattern"
      ? Number.isFinite(number)
      : Number.isInteger(number) && number >= 1 && number <= 4096);
  if (typeof value !== "object" || !entries.every(isRight)) {
    throw incompatible(member, "numbers by names of linears", value);
  }
  return new Map(entries as [string, number][]);
}

/** The first entry that a linear's name ends with, as PEFT takes them. */
function atEndOf(pattern: Pattern, linear: string): number | undefined {
  for (const [end, value] of pattern) {
    if (linear === end || linear.endsWith(`.${end}`)) return value;
  }
  return undefined;
}

/** The same matrix times `scale` in the first rows and columns of a larger one. */
function padded(
  { shape, data }: Tensor,
  [rows, columns]: readonly [number, number],
  scale: number,
): Tensor {
  const from = shape[1] ?? 0;
  const larger = new Float32Array(rows * columns);
  for (let i = 0; i < data.length; i++) {
    larger[Math.floor(i / from) * columns + (i % from)] = scale * (data[i] as number);
  }
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
  const value = JSON.stringify(got)?.slice(0, 200) ?? "nothing";
  return new WaggleError(
    "ADAPTER_INCOMPATIBLE",
    `${member} of an adapter_config.json must be ${wanted}, got ${value}; export a plain LoRA`,
  );
}
