/** The monitor of `LanguageModel.create`: an event target that reports the progress of loading. */
import { EventHandler } from "./event-handler.ts";
import type { Handler } from "./event-handler.ts";
import { shapeAsInterface } from "./web-idl.ts";

/** Shares are whole multiples of 1 / STEPS. */
const STEPS = 65_536;
/** Between the first and the last event, there is at most one in this time. */
const LEAST_MS = 50;

/** Fires `downloadprogress`, whose `loaded` goes from 0 to 1. */
export class CreateMonitor extends EventTarget {
  readonly #handler = new EventHandler(this, "downloadprogress");

  get ondownloadprogress(): Handler {
    return this.#handler.value;
  }

  set ondownloadprogress(handler: Handler) {
    this.#handler.value = handler;
  }
}
shapeAsInterface(CreateMonitor, "CreateMonitor");

/** Passes loaded shares on to a monitor, as the draft does: 0 first, 1 last, each higher than the one before. */
export function createProgress(
  monitor: CreateMonitor,
  signal: AbortSignal | undefined,
): (share: number) => void {
  let last = -1;
  let lastMs = -Infinity;
  return (share) => {
    const loaded = Math.floor(share * STEPS) / STEPS;
    const nowMs = performance.now();
    if (signal?.aborted || !(loaded > last) || (loaded < 1 && nowMs - lastMs <= LEAST_MS)) return;
    last = loaded;
    lastMs = nowMs;
    monitor.dispatchEvent(progressEvent(loaded));
  };
}

/** A `ProgressEvent`, or an event with its attributes where there is no such class, as in Node. */
function progressEvent(loaded: number): Event {
  const attributes = { loaded, total: 1, lengthComputable: true };
  if (typeof ProgressEvent === "function") {
    return new ProgressEvent("downloadprogress", attributes);
  }
  return Object.assign(new Event("downloadprogress"), attributes);
}
