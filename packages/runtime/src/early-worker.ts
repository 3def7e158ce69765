/**
 * Starts a policy's worker before its model is there. Meanwhile, the worker downloads and compiles its code, which takes as
 * long as reading a small model.
 */
import { chooseDevice } from "./browser-device.ts";
import { createDefaultWorker } from "./default-worker.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice } from "./worker/messages.ts";

type CreateWorker = (device: BrowserDevice) => WorkerHandle;

/** A worker that waits for its policy. */
export type EarlyWorker = {
  /** For `createBrowserPolicy`. The first call returns the worker if its device is wanted; others create one. */
  readonly createWorker: CreateWorker;
  /** Ends the worker unless it was taken. */
  dispose(): void;
};

/** @param device - as in `createBrowserPolicy`, as is `createWorker`. */
export function startEarlyWorker(
  device: "auto" | BrowserDevice,
  createWorker: CreateWorker = createDefaultWorker,
): EarlyWorker {
  let early: { readonly device: BrowserDevice; readonly worker: WorkerHandle } | null = null;
  let isOver = false;
  const start = async (): Promise<void> => {
    const chosen = await chooseDevice(device, () => 1, globalThis);
    if (isOver) return;
    const worker = createWorker(chosen.device);
    early = { device: chosen.device, worker };
    // Nobody else hears of it: the policy then creates another worker, and reports why that one fails.
    worker.addEventListener("error", () => {
      if (early?.worker === worker) early = null;
    });
  };
  start().catch(() => undefined);
  /** The worker that waits, if any; it waits no more. */
  const take = (): typeof early => {
    const taken = early;
    early = null;
    isOver = true;
    return taken;
  };
  return {
    createWorker: (wanted) => {
      const taken = take();
      if (taken?.device === wanted) return taken.worker;
      taken?.worker.terminate();
      return createWorker(wanted);
    },
    dispose: () => take()?.worker.terminate(),
  };
}
