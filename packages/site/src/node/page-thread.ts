/** A thread that compares page and environment of the site in `workerData`, so that a tool that never returns can be ended. */
import { parentPort, workerData } from "node:worker_threads";
import { loadSite } from "./load-site.ts";
import { comparePage } from "./page-comparison.ts";
import type { PageMessage } from "./page-check.ts";

const send = (message: PageMessage): void => parentPort?.postMessage(message);
const site = await loadSite(String(workerData));
if (site.environment !== null) {
  send({ result: await comparePage(site, site.environment, { onCall: (call) => send({ call }) }) });
}
