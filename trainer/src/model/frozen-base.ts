/**
 * How the frozen weights are held while an adapter over them is trained: as they are, or in fewer bits. Who
 * samples in this process computes with the same numbers, in float32; pages have the model as it is. And in
 * which precision the engine multiplies them: who samples does so in float32.
 */
import { isEngineUrl, type Precision, requireTrainable } from "@waggle/engine";
import { type ResidentFormat, residentNumbers, residentSource } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { Option } from "commander";
import { type BaseModel, loaded, openBaseModel } from "./base-model.ts";
import type { Device } from "./device.ts";

const FORMATS: readonly ResidentFormat[] = ["f32", "f16", "int8", "int4"];
const PRECISIONS: readonly Precision[] = ["f32", "f16"];

/** `--base`. */
export function baseOption(): Option {
  return new Option("--base <format>", "number format of the frozen weights")
    .choices(FORMATS)
    .default("f32");
}

/** `--precision`. */
export function precisionOption(): Option {
  return new Option("--precision <format>", "precision of large matrix products; f16 is for GPUs")
    .choices(PRECISIONS)
    .default("f32");
}

/** @throws WaggleError `CAPABILITY_MISSING` for a device that holds weights in its own way. */
export function requireBase(base: ResidentFormat, device: Device): void {
  if (base === "f32" || !(isEngineUrl(device) || device.startsWith("reference-"))) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `--base ${base} must be held by an engine of ONNX Runtime, got --device ${device}; choose auto, cpu, wasm, webgpu or cuda, or leave --base out`,
  );
}

/**
 * The model as training over this base needs it. In float32 the engine and who samples share what is in
 * memory; in fewer bits each reads what it holds, and nothing else of the weights stays.
 * @throws WaggleError as `readBaseModel`; `CAPABILITY_MISSING` for a model that the device cannot train,
 *   before anything of its weights is read.
 */
export async function modelUnder(
  base: ResidentFormat,
  device: Device,
  folder: string,
): Promise<BaseModel> {
  const model = await openBaseModel(folder);
  // what a server trains, it says itself
  if (!isEngineUrl(device)) requireTrainable(model.config);
  return base === "f32" ? loaded(model) : model;
}

/** The model with the numbers that an engine over this base computes with. */
export function heldAs(model: BaseModel, base: ResidentFormat): BaseModel {
  const { config, weights } = model;
  const held =
    "tensors" in weights
      ? residentSource(config, weights, base)
      : residentNumbers(config, weights, base);
  return { ...model, weights: held };
}
