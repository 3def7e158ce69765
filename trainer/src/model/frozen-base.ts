/**
 * The number format of the frozen weights while an adapter is trained over them: unchanged or
 * quantized. Samplers in this process use the same weights, computed in float32; pages use the original
 * model.
 */
import { isEngineUrl, requireTrainable } from "@waggle/engine";
import { type ResidentFormat, residentNumbers, residentSource } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { type BaseModel, loaded, openBaseModel } from "./base-model.ts";
import type { Device } from "./device.ts";

/** @throws WaggleError `CAPABILITY_MISSING` if the device chooses its own weight format. */
export function requireBase(base: ResidentFormat, device: Device): void {
  if (base === "f32" || !(isEngineUrl(device) || device.startsWith("reference-"))) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `--base ${base} is not available with --device ${device}; choose auto, cpu, wasm, webgpu or cuda, or omit --base`,
  );
}

/**
 * @param folder - the model's, for the message.
 * @throws WaggleError `MODEL_UNSUPPORTED` for quantized weights that are to be trained in another format.
 */
export function requireStored(
  { storedFormat }: Pick<BaseModel, "storedFormat">,
  base: ResidentFormat,
  device: Device,
  folder: string,
): void {
  if (storedFormat === null || storedFormat === base) return;
  const other = "--model <folder> with the original model, from which it was converted";
  throw new WaggleError(
    "MODEL_UNSUPPORTED",
    isEngineUrl(device)
      ? `the weights in ${folder} are stored in ${storedFormat}, but --device ${device} trains the original model; pass ${other}`
      : `the weights in ${folder} are stored in ${storedFormat} and cannot be trained in ${base}; pass --base ${storedFormat} to train an adapter over them, or ${other}`,
  );
}

/**
 * Opens the model for training over this base. In float32, engine and sampler share the weights in
 * memory; with a quantized base each reads its own copy, and the float32 weights are not kept.
 * @throws WaggleError like `readBaseModel` and `requireStored`; `CAPABILITY_MISSING` for a model that the
 *   device cannot train, before any weights are read.
 */
export async function modelUnder(
  base: ResidentFormat,
  device: Device,
  folder: string,
): Promise<BaseModel> {
  const model = await openBaseModel(folder);
  // a server checks this itself
  if (!isEngineUrl(device)) requireTrainable(model.config);
  requireStored(model, base, device, folder);
  return base === "f32" ? loaded(model) : model;
}

/** The model with the weights that an engine over this base computes with. */
export function heldAs(model: BaseModel, base: ResidentFormat): BaseModel {
  const { config, weights } = model;
  const held =
    "tensors" in weights
      ? residentSource(config, weights, base)
      : residentNumbers(config, weights, base);
  return { ...model, storedFormat: null, weights: held };
}
