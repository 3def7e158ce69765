/**
 * Checks whether onnxruntime-node has its CUDA provider, which npm does not install. Without this
 * check the native library only reports a file that it cannot open. A missing driver or GPU shows
 * later, when the provider starts.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { WaggleError } from "@waggle/protocol";

const LIBRARY = "libonnxruntime_providers_cuda.so";

/** The machine that this process runs on; tests pass others. */
export type CudaMachine = {
  readonly system: string;
  readonly isInstalled: () => boolean;
};

const THIS_MACHINE: CudaMachine = {
  system: `${process.platform} ${process.arch}`,
  isInstalled: isCudaInstalled,
};

/** Whether the provider's library is next to onnxruntime-node. */
export function isCudaInstalled(): boolean {
  const main = createRequire(import.meta.url).resolve("onnxruntime-node");
  const folder = join(dirname(main), "../bin/napi-v6", process.platform, process.arch);
  return existsSync(join(folder, LIBRARY));
}

/** @throws WaggleError `DEVICE_UNAVAILABLE` without the provider, naming what to install. */
export function requireCuda({ system, isInstalled }: CudaMachine = THIS_MACHINE): void {
  if (isInstalled()) return;
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    system === "linux x64"
      ? // `=cuda12`, which its help mentions, installs nothing in 1.30.0
        `the device "cuda" needs ${LIBRARY}, which is not installed with onnxruntime-node; run ONNXRUNTIME_NODE_INSTALL=true node node_modules/onnxruntime-node/script/install.js, install NVIDIA's driver, CUDA 12 and cuDNN 9, or use the device "webgpu" or "cpu"`
      : `onnxruntime-node supports the device "cuda" only on Linux x64, and this is ${system}; use the device "webgpu" or "cpu"`,
  );
}
