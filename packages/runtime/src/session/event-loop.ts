/**
 * Turns of the event loop, for loops that compute on the calling thread: onnxruntime's WASM does
 * not yield to messages by itself. Uses tasks, because hidden pages throttle timers.
 */

/** Runs `task` after a turn of the event loop. */
export type NextTask = (task: () => void) => void;

/** The cheapest way to queue a task: `setImmediate` if it exists, otherwise a message to oneself. */
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
