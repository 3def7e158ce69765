/**
 * Ends a call of the author's code that never awaits. Nothing in its own thread can stop such a loop, so a second thread
 * watches the calls and terminates the running JavaScript through the debugger's protocol.
 */
import { Worker } from "node:worker_threads";
import type { EnvironmentCheck } from "@waggle/agent/define";

/** Tools have 5 seconds by default; a busy machine gets some more. */
const LIMIT_MS = 10_000;
/** How often this thread shows that it is not blocked, while a call awaits something. */
const BEAT_MS = 1000;
const FROM_SOURCE = import.meta.filename.endsWith(".ts");

/** A call of the author's code: `the tool search` at `seed 7, train, level 0`. */
export type CheckedCall = { readonly what: string; readonly place: string };

/** What the watching thread gets: a call that begins, `null` at its end, or a beat. It sends the call that it ended. */
export type CallMessage = CheckedCall | null | "beat";

/** What the watching thread starts with. */
export type CallThreadData = {
  readonly limitMs: number;
  /** `[0]` is 1 once a call was ended; this thread may run for a while before it gets the message. */
  readonly state: Int32Array<SharedArrayBuffer>;
};

/** A thread that watches the calls of this one. */
export type EndlessCallWatch = {
  /** To be called before each call, and with `null` after it. */
  readonly onCall: (call: CheckedCall | null) => void;
  /** True as soon as a call was ended. What the checks find from then on means nothing. */
  readonly hasEnded: () => boolean;
  /** The failure, once a call was ended. What waited for the call may never go on. */
  readonly ended: Promise<EnvironmentCheck>;
  readonly close: () => Promise<void>;
};

/** Starts the thread. It can end calls of the main thread only. */
export function watchEndlessCalls(limitMs: number = LIMIT_MS): EndlessCallWatch {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const file = `./endless-call-thread${FROM_SOURCE ? ".ts" : ".js"}`;
  const thread = new Worker(new URL(file, import.meta.url), {
    workerData: { limitMs, state } satisfies CallThreadData,
    ...(FROM_SOURCE ? { execArgv: ["--disable-warning=ExperimentalWarning"] } : {}),
  });
  thread.unref();
  const send = (message: CallMessage): void => thread.postMessage(message);
  const beat = setInterval(() => send("beat"), BEAT_MS).unref();
  const { promise: ended, resolve } = Promise.withResolvers<EnvironmentCheck>();
  thread.on("message", ({ what, place }: CheckedCall) => {
    const words = `${what} did not return within ${limitMs / 1000} s at ${place}, and blocked the check. A time limit cannot stop code that never awaits; end its loop. The other checks did not run`;
    resolve({ check: "calls", status: "failed", words });
  });
  return {
    onCall: send,
    hasEnded: () => Atomics.load(state, 0) === 1,
    ended,
    close: async () => {
      clearInterval(beat);
      await thread.terminate();
    },
  };
}

/** The checks until a call is ended; then its failure instead of the others. */
export async function* untilEnded(
  checks: AsyncIterator<EnvironmentCheck>,
  { ended, hasEnded }: Pick<EndlessCallWatch, "ended" | "hasEnded">,
): AsyncGenerator<EnvironmentCheck> {
  for (;;) {
    // Later, because nothing goes on that is on the stack when a call is ended.
    const checked = Promise.resolve().then(() => checks.next());
    const next = await Promise.race([checked, ended]);
    // The checks may wait for a call that is gone, so their generator is left as it is.
    if (hasEnded() || !("done" in next)) return yield await ended;
    if (next.done === true) return;
    yield next.value;
  }
}
