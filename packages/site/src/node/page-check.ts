/** Compares a site's page with its environment, in a thread: code of the page that never awaits would block the process. */
import { Worker } from "node:worker_threads";
import type { EnvironmentCheck } from "@waggle/agent/define";
import type { LoadedSite } from "./load-site.ts";
import type { PageCall } from "./page-comparison.ts";

const CHECK = "page";
/** Time beyond a call's own limit, for a busy machine. */
const EXTRA_MS = 5000;
const FROM_SOURCE = import.meta.filename.endsWith(".ts");

/** What the thread sends. */
export type PageMessage =
  | { readonly call: PageCall | null }
  | { readonly result: EnvironmentCheck };

/**
 * The result of the check. A page whose tools behave otherwise than the environment's makes trainers reject what its
 * visitors upload.
 *
 * @param extraMs - how long a call may exceed its time limit before it is ended.
 */
export async function checkPage(
  site: LoadedSite,
  signal: AbortSignal,
  extraMs: number = EXTRA_MS,
): Promise<EnvironmentCheck> {
  const obstacle = obstacleOf(site);
  if (obstacle !== null) return { check: CHECK, status: "skipped", words: obstacle };
  signal.throwIfAborted();
  const file = `./page-thread${FROM_SOURCE ? ".ts" : ".js"}`;
  const thread = new Worker(new URL(file, import.meta.url), {
    workerData: site.configFile,
    ...(FROM_SOURCE
      ? { execArgv: ["--conditions=source", "--disable-warning=ExperimentalWarning"] }
      : {}),
  });
  try {
    return await resultOf(thread, signal, extraMs);
  } finally {
    await thread.terminate();
  }
}

/** Why page and environment cannot be compared; `null` if they can. */
function obstacleOf({ environment, pageTools, start }: LoadedSite): string | null {
  if (environment === null) return "the site has no environment";
  if (pageTools.length === 0) return "the page has no tools";
  if (start !== null && environment.startState !== undefined) return null;
  return "the module of page tools does not export start(state), which begins the page with the state of a task; add it to compare page and environment";
}

function resultOf(thread: Worker, signal: AbortSignal, extraMs: number): Promise<EnvironmentCheck> {
  const { promise, resolve, reject } = Promise.withResolvers<EnvironmentCheck>();
  let limit: NodeJS.Timeout | undefined;
  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  thread.on("message", (message: PageMessage) => {
    clearTimeout(limit);
    if ("result" in message) return resolve(message.result);
    const { call } = message;
    if (call === null) return;
    const limitMs = call.limitMs + extraMs;
    limit = setTimeout(() => resolve(endless(call, limitMs)), limitMs);
  });
  thread.on("error", reject);
  thread.on("exit", () => reject(new Error("the page's tools ended the process")));
  return promise.finally(() => {
    clearTimeout(limit);
    signal.removeEventListener("abort", abort);
  });
}

function endless({ what, place }: PageCall, limitMs: number): EnvironmentCheck {
  const words = `${what} did not return within ${limitMs / 1000} s at ${place}, in the page, and blocked its thread. A time limit cannot stop code that never awaits; end its loop`;
  return { check: CHECK, status: "failed", words };
}
