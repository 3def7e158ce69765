/** The GPU device that a back end runs on, asked for with all the limits that the adapter has. */
import { WaggleError } from "@waggle/protocol";

export type WebgpuDeviceOptions = {
  /**
   * False: a device without subgroup operations. onnxruntime then takes other attention kernels, which
   * are right on adapters where the ones with subgroups are not. Default true.
   */
  readonly subgroups?: boolean;
};

const OPTIONAL_FEATURES = ["shader-f16", "subgroups"] as const;

/** @throws WaggleError `DEVICE_UNAVAILABLE` where there is no adapter or it gives no device. */
export async function requestWebgpuDevice(
  gpu: GPU,
  { subgroups = true }: WebgpuDeviceOptions = {},
): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) {
    throw new WaggleError(
      "DEVICE_UNAVAILABLE",
      'WebGPU must have an adapter, got none; use the device "wasm"',
    );
  }
  const requiredLimits: Record<string, number> = {};
  for (const name in adapter.limits) {
    const value = adapter.limits[name as keyof GPUSupportedLimits];
    if (typeof value === "number") requiredLimits[name] = value;
  }
  const requiredFeatures = OPTIONAL_FEATURES.filter(
    (feature) => adapter.features.has(feature) && (feature !== "subgroups" || subgroups),
  );
  try {
    return await adapter.requestDevice({ requiredFeatures, requiredLimits });
  } catch (cause) {
    throw new WaggleError(
      "DEVICE_UNAVAILABLE",
      'the WebGPU adapter must give a device, got a refusal; use the device "wasm"',
      { cause },
    );
  }
}
