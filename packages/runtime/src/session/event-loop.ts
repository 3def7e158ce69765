/**
 * Turns of the event loop, for loops that compute on the calling thread: onnxruntime's WASM never
 * yields to messages by itself. Tasks, not timers: hidden pages throttle those.
 */

/** Runs `task` after the event loop had a turn. */
export type NextTask = (task: () => void) => void;

/** The cheapest task there is: `setImmediate` where it exists, else a message to oneself. */
export function createNextTask(): NextTask {
  if (typeof setImmediate === "function") return (task) => void setImmediate(task);
  const { port1, port2 } = new MessageChannel();
  let waiting: (() => void)[] = [];
  port1.addEventListener("message", () => {
    const tasks = waiting;
    waiting = [];
    for (const task of tasks) task();
  });
  port1.start();
  return (task) => {
    waiting.push(task);
    port2.postMessage(null);
  };
}
