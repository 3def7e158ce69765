/** The WebGPU adapter that native code on Dawn will get, asked for through Dawn itself. */

export type WebGpuAdapter = {
  /** `vendor/architecture`, for reports. */
  readonly name: string;
  /** In the driver's words, the card's name among them. */
  readonly description: string;
  /** Computes on the processor: right and slow. */
  readonly isSoftware: boolean;
};

/** @returns undefined where there is no adapter, or no build of Dawn for this machine. */
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

/** Whether a driver by this name computes on the processor. */
export function isSoftwareName(name: string): boolean {
  return /swiftshader|llvmpipe|lavapipe|basic render|software/i.test(name);
}
