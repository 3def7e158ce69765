/**
 * How the frozen weights are held while an adapter over them is trained: as they are, or quantized. Who
 * samples in this process computes with the same numbers; pages have the model as it is.
 */
import { isEngineUrl } from "@waggle/engine";
import { residentNumbers, type ResidentFormat } from "@waggle/model";
import { WaggleError } from "@waggle/protocol";
import { Option } from "commander";
import type { BaseModel } from "./base-model.ts";
import type { Device } from "./open-model.ts";

const FORMATS: readonly ResidentFormat[] = ["f32", "int8", "int4"];

/** `--base`. */
export function baseOption(): Option {
  return new Option("--base <format>", "of frozen weights").choices(FORMATS).default("f32");
}

/** @throws WaggleError `CAPABILITY_MISSING` for a device that holds weights in its own way. */
export function requireBase(base: ResidentFormat, device: Device): void {
  if (base === "f32" || !(isEngineUrl(device) || device.startsWith("reference-"))) return;
  throw new WaggleError(
    "CAPABILITY_MISSING",
    `--base ${base} must be held by an engine of ONNX Runtime, got --device ${device}; choose auto, cpu, wasm, webgpu or cuda, or leave --base out`,
  );
}

/** The model with the numbers that an engine over this base computes with. */
export function heldAs(model: BaseModel, base: ResidentFormat): BaseModel {
  return { ...model, weights: residentNumbers(model.config, model.weights, base) };
}
