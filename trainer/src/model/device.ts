/** The device on which the trainer computes. */
import type { EngineDevice, EngineUrl } from "@waggle/engine";

/**
 * The training device, local or at a URL. Sampling and re-scoring always run on the local native CPU.
 */
export type Device = EngineDevice | EngineUrl;
