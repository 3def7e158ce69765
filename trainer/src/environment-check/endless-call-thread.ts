/** The thread that ends a call of the main thread, if the main thread is blocked by it for too long. */
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import type { CallMessage, CallThreadData, CheckedCall } from "./endless-call.ts";

const { limitMs, state } = workerData as CallThreadData;
let current: CheckedCall | null = null;
let timer: NodeJS.Timeout | undefined;

function end(call: CheckedCall): void {
  Atomics.store(state, 0, 1);
  const session = new Session();
  session.connectToMainThread();
  session.post("Runtime.terminateExecution");
  parentPort?.postMessage(call);
}

parentPort?.on("message", (message: CallMessage) => {
  clearTimeout(timer);
  if (message !== "beat") current = message;
  if (current !== null) timer = setTimeout(end, limitMs, current);
});
