/**
 * `npm start`: runs all of Waggle on this machine. Prepares local storage, starts the edge Worker, the trainer, the
 * page of the demo shop or of a site, and the dashboard, restarts them if they fail, and ends them on Ctrl-C.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createLineWriter } from "./line-writer.ts";
import { buildPage, startPage } from "./pages.ts";
import {
  isEdgeResponsive,
  migrate,
  modelFolder,
  startEdge,
  startTrainer,
  untilBaseModel,
} from "./services.ts";
import { openInstallation, portFor, stopAll } from "./stack.ts";
import { readStartOptions } from "./start-options.ts";
import { siteBase } from "./site.ts";
import { StateLock } from "./state-lock.ts";
import { onStopRequest } from "./stop-request.ts";
import { Supervisor } from "./supervisor.ts";

const options = await readStartOptions(process.argv);
const { site } = options;
const page = site ?? "demo";
const say = createLineWriter();
/** Output of edge and sites is printed only if it reports a problem; the trainer's always. */
const listen = (name: string, line: string) => {
  if (options.verbose || name === "trainer" || /error|warn|✘/i.test(line)) say(name, line);
};

/** Wrangler restarts a crashed runtime by itself, usually within seconds. */
const EDGE_PATIENCE_MS = 30_000;

const supervisor = new Supervisor({
  say: (line) => say("waggle", line),
  sleep: (ms, signal) => sleep(ms, undefined, { signal }),
});
const lock = takeLock();
const stopping = new AbortController();
async function stop(code: number): Promise<void> {
  if (stopping.signal.aborted) return;
  stopping.abort();
  say("waggle", "stopping …");
  await supervisor.stop();
  // Processes that were still starting.
  await stopAll();
  lock.release();
  say("waggle", "stopped; the state is kept");
  process.exit(code);
}
onStopRequest(() => void stop(0));
void supervisor.gaveUp.then((reason) => {
  say("waggle", `${reason}. Stopping all processes.`);
  return stop(1);
});

try {
  const installation = openInstallation(options.state);
  const model =
    site === undefined || options.model !== undefined
      ? modelFolder(options.model)
      : await siteBase(site, (line) => say("waggle", line), stopping.signal);
  const edgePort = await portFor(options.port, 8787);
  const shopPort = await portFor(options.shopPort, 5173);
  const dashboardPort = await portFor(options.dashboardPort, 5174);
  const edgeUrl = `http://localhost:${edgePort}`;
  say("waggle", "preparing storage and pages …");
  await Promise.all([
    migrate(installation),
    buildPage(page, listen),
    buildPage("dashboard", listen),
  ]);
  say("waggle", "starting the edge and the pages …");
  await Promise.all([
    supervisor.start({
      name: "edge",
      start: () => startEdge(installation, { port: edgePort, site, onLine: listen }),
      untilUnresponsive: (signal) => untilUnresponsive(edgePort, signal),
    }),
    supervisor.start({
      name: site?.name ?? "demo",
      start: () =>
        startPage(page, {
          port: shopPort,
          edgeUrl,
          onLine: listen,
          isolated: options.isolation,
        }),
    }),
    supervisor.start({
      name: "dashboard",
      start: () => startPage("dashboard", { port: dashboardPort, edgeUrl, onLine: listen }),
    }),
  ]);
  if (options.trainer) {
    say("waggle", "starting the trainer, which publishes the base model …");
    const args = ["--device", options.device, "--recipe", options.recipe];
    await supervisor.start({
      name: "trainer",
      start: (isRestart) =>
        Promise.resolve(
          startTrainer(installation, {
            edgeUrl,
            model,
            site,
            onLine: listen,
            // A restarted trainer keeps its state; it was already discarded at the first start.
            args: options.resume || isRestart ? args : [...args, "--no-resume"],
          }),
        ),
    });
    await untilBaseModel(edgeUrl, stopping.signal);
  }
  const shop = `http://localhost:${shopPort}/`;
  const dashboard = `http://localhost:${dashboardPort}/#credential=${installation.operatorCredential}`;
  lock.tell([`${site?.name ?? "demo shop"} ${shop}`, `dashboard ${dashboard}`, `edge ${edgeUrl}`]);
  say("waggle", `${(site?.name ?? "demo shop").padEnd(11)} ${shop}`);
  say("waggle", `dashboard   ${dashboard}`);
  say("waggle", `edge        ${edgeUrl}  (OpenAPI: ${edgeUrl}/openapi.json)`);
  say("waggle", `state       ${installation.folder}`);
  say(
    "waggle",
    options.trainer
      ? "open the page and ask for something, or let simulated visitors do tasks; Ctrl-C ends everything"
      : "without a trainer the page works only if a base model was published earlier; Ctrl-C ends everything",
  );
} catch (error) {
  if (!stopping.signal.aborted) {
    say("waggle", error instanceof Error ? error.message : String(error));
    await stop(1);
  }
}

function takeLock(): StateLock {
  try {
    return new StateLock(options.state);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

/** Resolves if the edge stops responding for a while although its process runs. */
async function untilUnresponsive(port: number, signal: AbortSignal): Promise<string> {
  let answeredAt = Date.now();
  while (Date.now() - answeredAt < EDGE_PATIENCE_MS) {
    await sleep(3000, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return "stopped";
    if (await isEdgeResponsive(port)) answeredAt = Date.now();
  }
  return `no response for ${EDGE_PATIENCE_MS / 1000} s`;
}
