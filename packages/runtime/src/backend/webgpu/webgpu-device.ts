/** Requests a GPU device with all the limits that the adapter supports. */
import { WaggleError } from "@waggle/protocol";

export type WebgpuDeviceOptions = {
  /**
   * False: request a device without subgroup operations. onnxruntime then uses other attention
   * kernels, which are correct on adapters where those with subgroups are not. Default true.
   */
  readonly subgroups?: boolean;
};

const OPTIONAL_FEATURES = ["shader-f16", "subgroups"] as const;

/** @throws WaggleError `DEVICE_UNAVAILABLE` without an adapter, or if it refuses a device. */
export async function requestWebgpuDevice(
  gpu: GPU,
  { subgroups = true }: WebgpuDeviceOptions = {},
): Promise<GPUDevice> {
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) {
    throw new WaggleError("DEVICE_UNAVAILABLE", 'no WebGPU adapter found; use the device "wasm"');
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
      'the WebGPU adapter refused a device; use the device "wasm"',
      { cause },
    );
  }
}
