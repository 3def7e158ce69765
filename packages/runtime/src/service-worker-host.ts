/** The page's side of a policy in a service worker: a `createWorker` for `createBrowserPolicy`. */
import type { WorkerHandle } from "./worker-client.ts";
import type { ServiceMessage } from "./worker/service-host.ts";

/** Interval of heartbeats. Browsers end a service worker after about 30 s without an event. */
const HEARTBEAT_MS = 10_000;

/**
 * Hosts the policy in a service worker whose script imports `@waggle/runtime/worker/service`. Pages
 * of one site share its weights; closing a page frees its sessions.
 *
 * ```ts const registration = await navigator.serviceWorker.register("/model-worker.js", { type:
 * "module" }); const policy = await createBrowserPolicy({
 *   modelFiles, baseModel, device: "webgpu",
 *   createWorker: serviceWorkerHost(registration),
 * });
 * ```
 */
export function serviceWorkerHost(registration: ServiceWorkerRegistration): () => WorkerHandle {
  return () => new ServiceConnection(registration);
}

class ServiceConnection implements WorkerHandle {
  readonly #channel = new MessageChannel();
  readonly #leaving = Promise.withResolvers<void>();
  readonly #heartbeat: ReturnType<typeof setInterval>;
  readonly #registration: ServiceWorkerRegistration;

  constructor(registration: ServiceWorkerRegistration) {
    this.#registration = registration;
    const pageLock = `waggle-page-${crypto.randomUUID()}`;
    const { port1, port2 } = this.#channel;
    port1.start();
    // The worker waits for this lock to learn that the page is gone, so it must be held before.
    void navigator.locks.request(pageLock, async () => {
      await this.#send({ kind: "waggle-connect", pageLock }, [port2]);
      await this.#leaving.promise;
    });
    this.#heartbeat = setInterval(() => {
      void this.#send({ kind: "waggle-heartbeat" }, []);
    }, HEARTBEAT_MS);
  }

  postMessage(message: unknown): void {
    this.#channel.port1.postMessage(message);
  }

  addEventListener(type: string, listener: unknown): void {
    this.#channel.port1.addEventListener(type, listener as EventListener);
  }

  terminate(): void {
    clearInterval(this.#heartbeat);
    this.#leaving.resolve();
    this.#channel.port1.close();
  }

  /** Sends to the active worker: a message wakes one that the browser had ended. */
  async #send(message: ServiceMessage, transfer: Transferable[]): Promise<void> {
    const worker = this.#registration.active ?? (await activeWorker(this.#registration));
    worker.postMessage(message, transfer);
  }
}

function activeWorker(registration: ServiceWorkerRegistration): Promise<ServiceWorker> {
  const worker = registration.installing ?? registration.waiting;
  return new Promise((resolve) => {
    const look = (): void => {
      if (registration.active === null) return;
      worker?.removeEventListener("statechange", look);
      resolve(registration.active);
    };
    worker?.addEventListener("statechange", look);
    look();
  });
}
