/** Lets messages in between tokens: onnxruntime's WASM provider never yields to the event loop. */

/** How long a worker may be deaf, in milliseconds. An abort waits at most this and one token. */
const DEAF_MS = 8;

/** @returns a function that gives the event loop a turn when the last one is `DEAF_MS` ago. */
export function createPause(): () => Promise<void> | void {
  const { port1, port2 } = new MessageChannel();
  let resume: (() => void)[] = [];
  port1.addEventListener("message", () => {
    const waiting = resume;
    resume = [];
    for (const each of waiting) each();
  });
  port1.start();
  let last = performance.now();
  return () => {
    if (performance.now() - last < DEAF_MS) return;
    return new Promise<void>((resolve) => {
      resume.push(() => {
        last = performance.now();
        resolve();
      });
      port2.postMessage(null);
    });
  };
}
