/** Imports TensorFlow.js, an optional peer that projects training on ONNX Runtime do not install. */
import { WaggleError } from "@waggle/protocol";

const PACKAGES =
  "@tensorflow/tfjs@4 @tensorflow/tfjs-backend-wasm@4 @tensorflow/tfjs-backend-webgpu@4";

/**
 * Runs an import of TensorFlow.js.
 * @throws WaggleError `DEVICE_UNAVAILABLE` if it is not installed, with the command that installs it.
 */
export async function loadTensorflow<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    throw new WaggleError(
      "DEVICE_UNAVAILABLE",
      `the devices reference-wasm and reference-webgpu need TensorFlow.js, which is not installed; run: npm install ${PACKAGES}`,
      { cause },
    );
  }
}

/** Whether this is Node's error for a package that it cannot find. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  return error.code === "ERR_MODULE_NOT_FOUND" && error.message.includes("@tensorflow/");
}
