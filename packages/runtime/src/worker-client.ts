/**
 * The page's side of one policy worker: sends requests, receives results and tokens, notices its
 * death.
 */
import { WaggleError } from "@waggle/protocol";
import type { AnswerTo, WorkerMessage, WorkerRequest } from "./worker/messages.ts";

/** The members of `Worker` used here. */
export type WorkerHandle = Pick<Worker, "postMessage" | "terminate" | "addEventListener">;

export type AskOptions = {
  /** Called with tokens of a generation as they arrive. */
  readonly onTokens?: (tokenIds: readonly number[]) => void;
  /** Aborts the request. If that is an error, it is the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

type Pending = {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly options: AskOptions;
};

export class WorkerClient {
  readonly #worker: WorkerHandle;
  readonly #pending = new Map<number, Pending>();
  /** Ends the watch for the worker's death. */
  readonly #watch = new AbortController();
  #nextId = 1;
  #failure: WaggleError | null = null;

  constructor(worker: WorkerHandle) {
    this.#worker = worker;
    worker.addEventListener("message", (event) => this.#receive((event as MessageEvent).data));
    for (const type of ["error", "messageerror"] as const) {
      worker.addEventListener(type, (event) => {
        // A script that could not be loaded gives no message.
        const detail = "message" in event && event.message ? String(event.message) : "no message";
        this.fail(lost(`error event (${detail.slice(0, 300)})`));
      });
    }
  }

  /** True once it has failed or was ended; every request is then refused. */
  get isDead(): boolean {
    return this.#failure !== null;
  }

  /** @throws WaggleError with the worker's code, or `DEVICE_LOST` if it died. */
  ask<R extends WorkerRequest>(request: R, options: AskOptions = {}): Promise<AnswerTo<R>> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    if (options.signal?.aborted && request.kind !== "generate") {
      return Promise.reject(options.signal.reason as Error);
    }
    const id = this.#nextId++;
    const abort = (): void => this.tell({ kind: "abort", requestId: id });
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, options });
      this.#worker.postMessage({ id, request });
    }) as Promise<AnswerTo<R>>;
    if (options.signal === undefined) return answer;
    if (options.signal.aborted) abort();
    options.signal.addEventListener("abort", abort, { once: true });
    return answer.finally(() => options.signal?.removeEventListener("abort", abort));
  }

  /** Sends a message without a reply; a failure shows in the next request with one. */
  tell(request: WorkerRequest): void {
    this.ask(request).catch(() => undefined);
  }

  /**
   * Notices a death without an event, as when a worker is killed for memory.
   *
   * @param lifeLock - the lock that the worker holds while it lives.
   */
  watch(lifeLock: string): void {
    const { signal } = this.#watch;
    navigator.locks
      .request(lifeLock, { signal }, () => this.fail(lost("without an event")))
      .catch(() => undefined); // the wait was ended
  }

  /** Rejects all current and later requests and ends the worker. */
  fail(error: WaggleError): void {
    this.#failure ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#failure);
    this.#pending.clear();
    this.#watch.abort();
    this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    const pending = this.#pending.get(message.id);
    if (pending === undefined) return;
    if (message.kind === "tokens") {
      pending.options.onTokens?.(message.tokenIds);
      return;
    }
    this.#pending.delete(message.id);
    if (message.kind === "answer") {
      pending.resolve(message.value);
      return;
    }
    if (message.kind === "aborted") {
      pending.reject(pending.options.signal?.reason);
      return;
    }
    const { code, message: text, retryable } = message.error;
    pending.reject(new WaggleError(code, text, { retryable }));
  }
}

function lost(fact: string): WaggleError {
  return new WaggleError(
    "DEVICE_LOST",
    `the policy's worker died: ${fact}; check that its script and the .wasm file are served, or pass createWorker`,
    { retryable: true },
  );
}
