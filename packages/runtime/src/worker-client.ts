/** The page's side of a policy worker: requests out, answers and token deltas back. */
import { WaggleError } from "@waggle/protocol";
import type { AnswerTo, WorkerMessage, WorkerRequest } from "./worker/messages.ts";

/** The part of `Worker` that is used. */
export type WorkerHandle = Pick<Worker, "postMessage" | "terminate" | "addEventListener">;

type Pending = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: WaggleError) => void;
  readonly onToken: ((tokenId: number) => void) | undefined;
};

export class WorkerClient {
  readonly #worker: WorkerHandle;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #failure: WaggleError | null = null;

  constructor(worker: WorkerHandle) {
    this.#worker = worker;
    worker.addEventListener("message", (event) => this.#receive((event as MessageEvent).data));
    for (const type of ["error", "messageerror"] as const) {
      worker.addEventListener(type, (event) => {
        // A script that could not be loaded says nothing at all.
        const detail = "message" in event && event.message ? String(event.message) : "no message";
        this.fail(
          new WaggleError(
            "DEVICE_LOST",
            `the policy's worker must stay alive, got an error event (${detail.slice(0, 300)}); check that its script and the .wasm file are served, or pass createWorker`,
            {
              retryable: true,
            },
          ),
        );
      });
    }
  }

  /** @throws WaggleError with the code the worker gave, or `DEVICE_LOST` when it died. */
  ask<R extends WorkerRequest>(
    request: R,
    onToken?: (tokenId: number) => void,
  ): Promise<AnswerTo<R>> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = this.#nextId++;
    return new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onToken });
      this.#worker.postMessage({ id, request });
    }) as Promise<AnswerTo<R>>;
  }

  /** Sends what needs no answer; a failure of it shows in the next request that does. */
  tell(request: WorkerRequest): void {
    this.ask(request).catch(() => undefined);
  }

  /** Rejects everything under way and to come, and ends the worker. */
  fail(error: WaggleError): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === "token") {
      pending.onToken?.(message.tokenId);
      return;
    }
    this.#pending.delete(message.id);
    if (message.kind === "answer") {
      pending.resolve(message.value);
      return;
    }
    const { code, message: text, retryable } = message.error;
    pending.reject(new WaggleError(code, text, { retryable }));
  }
}
