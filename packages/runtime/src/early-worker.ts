/**
 * Starts a policy's worker before its model is there. Meanwhile, the worker downloads and compiles its code. Once it knows the
 * model's config, it loads what this model needs and checks the device.
 */
import { chooseDevice } from "./browser-device.ts";
import { createDefaultWorker } from "./default-worker.ts";
import { readChecks } from "./device-checks.ts";
import type { WorkerHandle } from "./worker-client.ts";
import type { BrowserDevice, PrepareRequest, RequestEnvelope } from "./worker/messages.ts";

type CreateWorker = (device: BrowserDevice) => WorkerHandle;

/** A worker that waits for its policy. */
export type EarlyWorker = {
  /** For `createBrowserPolicy`. The first call returns the worker if its device is wanted; others create one. */
  readonly createWorker: CreateWorker;
  /**
   * For a small model, which runs in one thread with default options.
   *
   * @param config - bytes of its `config.json`.
   */
  prepare(config: Uint8Array): void;
  /** Ends the worker unless it was taken. */
  dispose(): void;
};

type Early = {
  readonly device: BrowserDevice;
  readonly description: string;
  readonly worker: WorkerHandle;
};

/** @param device - as in `createBrowserPolicy`, as is `createWorker`. */
export function startEarlyWorker(
  device: "auto" | BrowserDevice,
  createWorker: CreateWorker = createDefaultWorker,
): EarlyWorker {
  let early: Early | null = null;
  let isOver = false;
  const start = async (): Promise<void> => {
    const chosen = await chooseDevice(device, () => 1, globalThis);
    if (isOver) return;
    const worker = createWorker(chosen.device);
    early = { device: chosen.device, description: chosen.description, worker };
    // Nobody else hears of it: the policy then creates another worker, and reports why that one fails.
    worker.addEventListener("error", () => {
      if (early?.worker === worker) early = null;
    });
  };
  const started = start().catch(() => undefined);
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
    prepare: (config) => {
      void started.then(() => {
        if (early !== null) early.worker.postMessage(toPrepare(config, early.description));
      });
    },
    dispose: () => take()?.worker.terminate(),
  };
}

/** Nobody waits for its answer: ids of requests with an answer begin at 1. */
function toPrepare(config: Uint8Array, description: string): RequestEnvelope {
  const request: PrepareRequest = {
    kind: "prepare",
    config,
    description,
    threads: 1,
    dtype: null,
    contextLength: null,
    maxRunTokens: null,
    adapterStrategy: null,
    startsAdaptable: false,
    adapterRank: 16,
    knownChecks: readChecks(),
  };
  return { id: 0, request };
}
