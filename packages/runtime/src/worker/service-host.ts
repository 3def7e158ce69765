/**
 * A policy in a service worker: every page of the site that connects gets sessions of its own over
 * one copy of the weights. The browser ends a service worker that seems idle, so pages send
 * heartbeats; where it was ended all the same, the page's side starts it again and restores.
 */
import { createGrammarCompiler } from "@waggle/text/grammar";
import { refetchChunk } from "../store/refetch-chunk.ts";
import type { WorkerDevice } from "./checked-device.ts";
import type { MessageEndpoint } from "./messages.ts";
import { servePolicy } from "./serve-policy.ts";
import { shareBackend } from "./share-backend.ts";

/** What a page sends to the service worker itself; requests go over the port. */
export type ServiceMessage =
  | {
      readonly kind: "waggle-connect";
      /** A lock that the page holds while it wants to be served. */
      readonly pageLock: string;
    }
  | { readonly kind: "waggle-heartbeat" };

/** The part of a service worker's global scope that is used. */
export interface ServiceScope {
  addEventListener(
    type: "message",
    listener: (event: {
      readonly data: unknown;
      readonly ports: readonly MessagePort[];
      waitUntil(promise: Promise<unknown>): void;
    }) => void,
  ): void;
}

/** How long a heartbeat keeps the worker; longer than the time to the next. Milliseconds. */
const HEARTBEAT_LASTS_MS = 25_000;

/** Answers pages until the browser ends the worker. */
export function servePages(scope: ServiceScope, device: WorkerDevice): void {
  const shared = shareBackend({
    ...device,
    // Service workers cannot import later than at their start.
    openGrammars: (files, vocabularySize) =>
      Promise.resolve(createGrammarCompiler(files, { vocabularySize })),
    refetchChunk,
  });
  scope.addEventListener("message", (event) => {
    const message = event.data as Partial<ServiceMessage> | null;
    if (message?.kind === "waggle-heartbeat") {
      event.waitUntil(new Promise((resolve) => setTimeout(resolve, HEARTBEAT_LASTS_MS)));
    }
    const port = event.ports[0];
    if (message?.kind !== "waggle-connect" || port === undefined) return;
    const served = servePolicy(port as MessageEndpoint, shared);
    port.start();
    // Granted when the page let go of it or is gone, however it went.
    void navigator.locks.request((message as { pageLock: string }).pageLock, () => {
      port.close();
      return served.dispose();
    });
  });
}
