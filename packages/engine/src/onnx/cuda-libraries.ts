/**
 * Whether onnxruntime-node has its CUDA provider, which npm does not bring: asked before the native library
 * is, whose own words are a file that it cannot open. A driver or a card that is missing shows later, when
 * the provider starts.
 */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { WaggleError } from "@waggle/protocol";

const LIBRARY = "libonnxruntime_providers_cuda.so";

/** Where this process runs; tests put other machines in its place. */
export type CudaMachine = {
  readonly system: string;
  readonly isInstalled: () => boolean;
};

const THIS_MACHINE: CudaMachine = {
  system: `${process.platform} ${process.arch}`,
  isInstalled: isCudaInstalled,
};

/** Whether the provider lies beside onnxruntime-node. */
export function isCudaInstalled(): boolean {
  const main = createRequire(import.meta.url).resolve("onnxruntime-node");
  const folder = join(dirname(main), "../bin/napi-v6", process.platform, process.arch);
  return existsSync(join(folder, LIBRARY));
}

/** @throws WaggleError `DEVICE_UNAVAILABLE` without the provider, saying what to install. */
export function requireCuda({ system, isInstalled }: CudaMachine = THIS_MACHINE): void {
  if (isInstalled()) return;
  throw new WaggleError(
    "DEVICE_UNAVAILABLE",
    system === "linux x64"
      ? // `=cuda12`, which its help names, installs nothing in 1.30.0
        `the device "cuda" must find ${LIBRARY} beside onnxruntime-node, got none; run ONNXRUNTIME_NODE_INSTALL=true node node_modules/onnxruntime-node/script/install.js, install NVIDIA's driver, CUDA 12 and cuDNN 9, or use the device "webgpu" or "cpu"`
      : `the device "cuda" must run on Linux x64, for which alone onnxruntime-node has it, got ${system}; use the device "webgpu" or "cpu"`,
  );
}
