/** Which device a page's policy runs on, and why. */
import { WaggleError } from "@waggle/protocol";
import type { BrowserDevice } from "./worker/messages.ts";

export type ChosenDevice = {
  readonly device: BrowserDevice;
  /** Adapter vendor and architecture, or thread count: `google/swiftshader`, `wasm x2`. */
  readonly description: string;
  readonly threads: number;
};

/** What the choice looks at; in a page, `globalThis`. */
export type BrowserGlobals = {
  readonly navigator: {
    readonly hardwareConcurrency?: number;
    readonly gpu?: { requestAdapter(): Promise<Pick<GPUAdapter, "info"> | null> } | undefined;
  };
  readonly crossOriginIsolated?: boolean;
};

/**
 * `webgpu` and `wasm` are taken at their word. `auto` takes WebGPU where there is a hardware adapter:
 * a software one computes small models slower than WASM does.
 *
 * @param threadsFor - WASM threads out of half of the machine's; not asked without cross-origin
 *   isolation, where there is one.
 * @throws WaggleError `DEVICE_UNAVAILABLE` when `webgpu` is asked for and there is no adapter.
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
