/** Chooses the device for a page's policy. */
import { WaggleError } from "@waggle/protocol";
import type { BrowserDevice } from "./worker/messages.ts";

/** The device, with a description for reports. */
export type ChosenDevice = {
  readonly device: BrowserDevice;
  /** Adapter vendor and architecture, or thread count: `google/swiftshader`, `wasm x2`. */
  readonly description: string;
  readonly threads: number;
};

/** The globals that the choice depends on; in a page, `globalThis`. */
export type BrowserGlobals = {
  readonly navigator: {
    readonly hardwareConcurrency?: number;
    readonly gpu?: { requestAdapter(): Promise<Pick<GPUAdapter, "info"> | null> } | undefined;
  };
  readonly crossOriginIsolated?: boolean;
};

/**
 * `webgpu` and `wasm` are used as given. `auto` uses WebGPU if there is a hardware adapter: software
 * adapters compute small models slower than WASM does.
 *
 * @param threadsFor - WASM threads out of half of the machine's; not called without cross-origin
 *   isolation, which allows only one.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if `webgpu` is requested and there is no adapter.
 */
export async function chooseDevice(
  wanted: "auto" | BrowserDevice,
  threadsFor: (offered: number) => number,
  globals: BrowserGlobals,
): Promise<ChosenDevice> {
  if (wanted !== "wasm") {
    const adapter = (await globals.navigator.gpu?.requestAdapter()) ?? null;
    if (adapter !== null && (wanted === "webgpu" || !isSoftware(adapter.info))) {
      const { vendor, architecture } = adapter.info;
      const description = `${vendor || "unknown"}/${architecture || "unknown"}`;
      return { device: "webgpu", description, threads: 1 };
    }
    if (wanted === "webgpu") {
      throw new WaggleError(
        "DEVICE_UNAVAILABLE",
        `device "webgpu" needs ${globals.navigator.gpu ? "a GPU adapter" : "a browser with WebGPU"}; pass "auto" or "wasm"`,
      );
    }
  }
  const offered = Math.max(1, Math.ceil((globals.navigator.hardwareConcurrency ?? 1) / 2));
  const count = globals.crossOriginIsolated === true ? threadsFor(offered) : 1;
  return { device: "wasm", description: `wasm x${count}`, threads: count };
}

function isSoftware(info: GPUAdapterInfo): boolean {
  const name = `${info.vendor} ${info.architecture} ${info.description}`.toLowerCase();
  return info.isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|warp|software/.test(name);
}
