/** Turns of the event loop: onnxruntime's WASM provider never yields to messages by itself. */

/** How long a worker may be deaf, in milliseconds. An abort waits at most this and one token. */
const DEAF_MS = 8;

/** @returns a function whose promise resolves after the event loop had a turn. */
export function createNextTask(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  let waiting: (() => void)[] = [];
  port1.addEventListener("message", () => {
    const resumed = waiting;
    waiting = [];
    for (const resume of resumed) resume();
  });
  port1.start();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}

/** @returns a function that gives the event loop a turn when the last one is `DEAF_MS` ago. */
export function createPause(nextTask: () => Promise<void>): () => Promise<void> | void {
  let last = performance.now();
  return () => {
    if (performance.now() - last < DEAF_MS) return;
    return nextTask().then(() => {
      last = performance.now();
    });
  };
}
