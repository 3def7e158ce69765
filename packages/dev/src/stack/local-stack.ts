/**
 * All of Waggle on this machine: prepares local storage, starts the edge Worker, the trainer, the site's pages and the
 * dashboard, restarts them if they fail, and ends them when it is asked to.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { buildPage, dashboardPage, type Page, startPage } from "../pages/pages.ts";
import { FileChanges } from "../processes/file-changes.ts";
import { createLineWriter } from "../processes/line-writer.ts";
import { stopAll } from "../processes/managed-process.ts";
import { portFor } from "../processes/ports.ts";
import { StateLock } from "../processes/state-lock.ts";
import { Supervisor } from "../processes/supervisor.ts";
import { learningOf, type Site, siteModel } from "../site/site.ts";
import { closingLines } from "./closing-lines.ts";
import { isEdgeResponsive, startEdge } from "./edge-process.ts";
import { migrate } from "./migrations.ts";
import { type Installation, openInstallation } from "./installation.ts";
import { publishLocalModel, requireFreeState } from "./local-model.ts";
import { startTrainer } from "./trainer-process.ts";

/** Options of `runStack`. */
export type StackOptions = {
  readonly site: Site;
  /**
   * The pages, each with the port that it takes if that is free. The first one is the site's. A site without a page and
   * without an environment has none.
   */
  readonly pages: readonly StackPage[];
  /** State folder. */
  readonly state: string;
  /** Default: the site's own model, or its base, which is made if there is none. */
  readonly model?: string;
  readonly device: string;
  readonly recipe?: string;
  /** Ports that must be free; by default 8787 and 5174, or free ones. */
  readonly port?: number;
  readonly dashboardPort?: number;
  /** Whether pages are served from their sources and reload if these change. */
  readonly reloads: boolean;
  readonly resume: boolean;
  readonly trainer: boolean;
  readonly isolation: boolean;
  readonly verbose?: boolean;
  /** Ends everything. */
  readonly signal: AbortSignal;
};

/** A page of the stack. */
export type StackPage = {
  readonly page: Page;
  /** In the list of addresses: `demo`. */
  readonly title: string;
  /** Must be free; by default `preferred`, or a free one. */
  readonly port?: number | undefined;
  readonly preferred: number;
};

const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal });

/** Wrangler restarts a crashed runtime by itself, usually within seconds. */
const EDGE_PATIENCE_MS = 30_000;

/**
 * Runs until it is stopped.
 *
 * @returns the reason if it gave up.
 * @throws Error if something cannot be started, or another process uses the state folder.
 */
export async function runStack(options: StackOptions): Promise<string | null> {
  const say = createLineWriter();
  const lock = new StateLock(options.state);
  const supervisor = new Supervisor({
    say: (line) => say("waggle", line),
    sleep: pause,
  });
  const stopped = new Promise<null>((resolve) => {
    // Also ends processes that are still starting, so that waiting for them fails at once.
    const stop = (): void => {
      say("waggle", "stopping …");
      void supervisor
        .stop()
        .then(stopAll)
        .then(() => resolve(null));
    };
    if (options.signal.aborted) stop();
    else options.signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const installation = openInstallation(options.state, true);
    await start(installation, options, { supervisor, lock, say });
    const reason = await Promise.race([stopped, supervisor.gaveUp]);
    if (reason !== null) say("waggle", `${reason}. Stopping all processes.`);
    return reason;
  } catch (error) {
    if (!options.signal.aborted) throw error;
    await stopped;
    return null;
  } finally {
    await supervisor.stop();
    await stopAll();
    lock.release();
    say("waggle", "stopped; the state is kept");
  }
}

type Running = {
  readonly supervisor: Supervisor;
  readonly lock: StateLock;
  readonly say: (name: string, line: string) => void;
};

async function start(
  installation: Installation,
  options: StackOptions,
  { supervisor, lock, say }: Running,
): Promise<void> {
  const { site, signal } = options;
  const tell = (line: string): void => say("waggle", line);
  /** Output of edge and pages is printed only if it reports a problem; the trainer's always. */
  const listen = (name: string, line: string): void => {
    if (options.verbose || name === "trainer" || /error|warn|✘/i.test(line)) say(name, line);
  };
  const model =
    options.model ??
    (await siteModel(site, tell, signal, (replaced) =>
      requireFreeState(installation, site, replaced, () =>
        tell("looking in the edge's database for what its base model has learned …"),
      ),
    ));
  const edgePort = await portFor(options.port, 8787);
  const edgeUrl = `http://localhost:${edgePort}`;
  const dashboard = { page: dashboardPage(site.project), port: options.dashboardPort };
  const ports: number[] = [];
  for (const { port, preferred } of [...options.pages, { ...dashboard, preferred: 5174 }]) {
    ports.push(await portFor(port, preferred));
  }
  const pages = [...options.pages, dashboard].map(({ page }, index) => ({
    page,
    port: ports[index] ?? 0,
    reloads: options.reloads && !page.isOurs,
  }));
  const built = pages.filter(({ reloads }) => !reloads);
  await Promise.all([
    migrate(installation, site, () => tell("migrating the edge's database …")),
    ...built.map(({ page }) =>
      buildPage(page, listen, () => tell(`building the page ${page.name} …`)),
    ),
  ]);
  tell("starting the edge and the pages …");
  await Promise.all([
    supervisor.start({
      name: "edge",
      start: () => startEdge(installation, { port: edgePort, site, onLine: listen }),
      untilUnresponsive: (ended) => untilUnresponsive(edgePort, ended),
    }),
    ...pages.map(({ page, port, reloads }) =>
      supervisor.start({
        name: page.name,
        start: () =>
          startPage(page, {
            port,
            edgeUrl,
            siteKey: installation.siteKey,
            publisherKey: installation.publisher?.publicKey,
            reloads,
            isolated: options.isolation,
            onLine: listen,
          }),
      }),
    ),
  ]);
  tell("publishing the model …");
  // Before the trainer starts, because this names what to do about another base model.
  await publishLocalModel(installation, { edgeUrl, model, signal });
  const learning = learningOf(site);
  if ((learning === "tasks" || learning === "release") && options.trainer) {
    tell("starting the trainer …");
    const { device, recipe } = options;
    const args = ["--device", device, ...(recipe === undefined ? [] : ["--recipe", recipe])];
    const changes = new FileChanges({ files: site.modules ?? (() => []), sleep: pause });
    await supervisor.start({
      name: "trainer",
      start: async (isRestart) => {
        changes.mark();
        const own = await site.readTrainerArguments?.();
        return startTrainer(installation, {
          edgeUrl,
          model,
          site: own === undefined ? site : { ...site, trainerArguments: own },
          onLine: listen,
          // A restarted trainer keeps its state; it was already discarded at the first start.
          args: options.resume || isRestart ? args : [...args, "--no-resume"],
        });
      },
      untilChanged: (ended) => changes.untilChanged(ended),
    });
  }
  const addresses = [
    ...options.pages.map(({ title }, index) => [title, `http://localhost:${ports[index]}/`]),
    [
      "dashboard",
      `http://localhost:${ports.at(-1)}/#credential=${installation.operatorCredential}`,
    ],
    ["edge", edgeUrl],
  ] as const;
  lock.tell(addresses.map((words) => words.join(" ")));
  for (const [title = "", url = ""] of addresses) {
    const more = title === "edge" ? `  OpenAPI: ${url}/openapi.json` : "";
    tell(`${title.padEnd(11)} ${url}${more}`);
  }
  tell(`state       ${installation.folder}`);
  for (const line of closingLines(options)) tell(line);
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
