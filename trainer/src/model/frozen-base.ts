/**
 * The number format of the frozen weights while an adapter is trained over them: unchanged or
 * quantized. Samplers in this process use the same weights, computed in float32; pages use the original
 * model. Also sets the precision of the engine's matrix products; samplers use float32.
 */
import { isEngineUrl, type Precision, requireTrainable } from "@waggle/engine";
import { type ResidentFormat, residentNumbers, residentSource } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { Option } from "commander";
import { type BaseModel, loaded, openBaseModel } from "./base-model.ts";
import type { Device } from "./device.ts";

const FORMATS: readonly ResidentFormat[] = ["f32", "f16", "int8", "int4"];
const PRECISIONS: readonly Precision[] = ["f32", "f16"];

/** The option `--base`. */
export function baseOption(): Option {
  return new Option("--base <format>", "number format of the frozen weights")
    .choices(FORMATS)
    .default("f32");
}

/** The option `--precision`. */
export function precisionOption(): Option {
  return new Option("--precision <format>", "precision of large matrix products; f16 is for GPUs")
    .choices(PRECISIONS)
    .default("f32");
}

/** @throws WaggleError `CAPABILITY_MISSING` if the device chooses its own weight format. */
export function requireBase(base: ResidentFormat, device: Device): void {
  if (base === "f32" || !(isEngineUrl(device) || device.startsWith("reference-"))) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `--base ${base} is not available with --device ${device}; choose auto, cpu, wasm, webgpu or cuda, or omit --base`,
  );
}

/**
 * Opens the model for training over this base. In float32, engine and sampler share the weights in
 * memory; with a quantized base each reads its own copy, and the float32 weights are not kept.
 * @throws WaggleError like `readBaseModel`; `CAPABILITY_MISSING` for a model that the device cannot
 *   train, before any weights are read.
 */
export async function modelUnder(
  base: ResidentFormat,
  device: Device,
  folder: string,
): Promise<BaseModel> {
  const model = await openBaseModel(folder);
  // a server checks this itself
  if (!isEngineUrl(device)) requireTrainable(model.config);
  return base === "f32" ? loaded(model) : model;
}

/** The model with the weights that an engine over this base computes with. */
export function heldAs(model: BaseModel, base: ResidentFormat): BaseModel {
  const { config, weights } = model;
  const held =
    "tensors" in weights
      ? residentSource(config, weights, base)
      : residentNumbers(config, weights, base);
  return { ...model, weights: held };
}
