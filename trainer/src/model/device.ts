/** Where the trainer computes. */
import type { EngineDevice, EngineUrl } from "@waggle/engine";

/** What trains, here or at a URL; sampling and re-scoring run on the native CPU beside it. */
export type Device = EngineDevice | EngineUrl;
