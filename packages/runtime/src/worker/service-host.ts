/**
 * Hosts a policy in a service worker: every page of the site that connects gets its own sessions
 * over one copy of the weights. Browsers end a service worker that seems idle, so pages send
 * heartbeats. If it ends anyway, the page's side restarts it and restores its sessions.
 */
import { readChatFormat } from "@waggle/text";
import { ebnfExpression } from "@waggle/text/ebnf";
import { createGrammarCompiler } from "@waggle/text/grammar";
import { refetchChunk } from "../store/refetch-chunk.ts";
import type { WorkerDevice } from "./checked-device.ts";
import type { MessageEndpoint } from "./messages.ts";
import { readInPieces } from "./read-in-pieces.ts";
import { servePolicy } from "./serve-policy.ts";
import { shareBackend } from "./share-backend.ts";

/** Messages from a page to the service worker itself; requests use the port. */
export type ServiceMessage =
  | {
      readonly kind: "waggle-connect";
      /** A lock that the page holds while it uses the worker. */
      readonly pageLock: string;
    }
  | { readonly kind: "waggle-heartbeat" };

/** The members of a service worker's global scope used here. */
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

/** How long a heartbeat keeps the worker alive, in milliseconds; longer than their interval. */
const HEARTBEAT_LASTS_MS = 25_000;

/** Serves pages until the browser ends the worker. */
export function servePages(scope: ServiceScope, device: WorkerDevice): void {
  const shared = shareBackend({
    ...device,
    // Service workers can only import at startup.
    openGrammars: async (files, vocabularySize, stopTokenIds) =>
      createGrammarCompiler(files, {
        vocabularySize,
        ebnf: ebnfExpression,
        stopTokenIds: stopTokenIds ?? readChatFormat(files).stopTokenIds,
      }),
    readInPieces,
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
    // Granted when the page releases the lock or is gone for any reason.
    void navigator.locks.request((message as { pageLock: string }).pageLock, () => {
      port.close();
      return served.dispose();
    });
  });
}
