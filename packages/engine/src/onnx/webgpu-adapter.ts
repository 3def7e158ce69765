/** The WebGPU adapter that native code on Dawn will get, queried through Dawn itself. */

export type WebGpuAdapter = {
  /** `vendor/architecture`, for reports. */
  readonly name: string;
  /** The driver's description, which includes the GPU's name. */
  readonly description: string;
  /** Whether it computes on the CPU, which is correct but slow. */
  readonly isSoftware: boolean;
};

/** @returns undefined if there is no adapter, or no build of Dawn for this machine. */
export async function webGpuAdapter(): Promise<WebGpuAdapter | undefined> {
  const dawn = await import("webgpu").catch(() => undefined);
  const adapter = await dawn?.create([]).requestAdapter({ powerPreference: "high-performance" });
  if (!adapter) return undefined;
  const { vendor, architecture, description, isFallbackAdapter } = adapter.info;
  return {
    name: `${vendor}/${architecture}`,
    description,
    isSoftware: isFallbackAdapter || isSoftwareName(`${vendor} ${architecture} ${description}`),
  };
}

/** Whether a driver with this name computes on the CPU. */
export function isSoftwareName(name: string): boolean {
  return /swiftshader|llvmpipe|lavapipe|basic render|software/i.test(name);
}
