/**
 * The whole loop, headless: edge Worker, trainer, and pages with simulated visitors in Chromium; it learns,
 * publishes and swaps policies. Starts the same processes as `waggle dev` and contains no learning code. In a live run, the site's
 * backend and the simulated people are separate processes. Apart from them, only the final comparison knows what people want.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type LoggedRow, loggedRows } from "@waggle/trainer";
import { buildPage, livePage, startPage, visitorsPage } from "../pages/pages.ts";
import type { People } from "../people/people-process.ts";
import type { LivePeople } from "../people/person.ts";
import type { VisitorStatus } from "../people/visitor-status.ts";
import { type ManagedProcess, stopAll } from "../processes/managed-process.ts";
import { freePort } from "../processes/ports.ts";
import { StateLock } from "../processes/state-lock.ts";
import { requireEnvironment, type Site, siteModel } from "../site/site.ts";
import { startEdge, untilBaseModel } from "../stack/edge-process.ts";
import { migrate } from "../stack/migrations.ts";
import { openInstallation } from "../stack/installation.ts";
import { startTrainer } from "../stack/trainer-process.ts";
import { requireChromium } from "./chromium.ts";
import { MOST_WAIT_MS, untilPublicationEnds } from "./due-publication.ts";
import { OperatorClient } from "./operator.ts";
import { comparePolicies } from "./policy-comparison.ts";
import { acceptedRewards, type Evaluation, type LoopReport, loopReport } from "./report.ts";
import {
  isReleasing,
  MOST_RELEASE_MS,
  startLiveBackend,
  startPeople,
  untilReleaseEnds,
} from "./live-run.ts";
import { liveRelease, refusedModules, withoutEnvironment } from "./live-site.ts";
import { Visitors } from "./visitors.ts";

/** Options of `runLoop`. */
export type LoopOptions = {
  readonly pages: number;
  readonly device: "auto" | "webgpu" | "wasm";
  /** Stop rolling out this many minutes after the pages are open … */
  readonly minutes: number;
  /** … or after this many publications, whichever comes first. */
  readonly publications: number;
  /** Paired held-out tasks in the final comparison; 0 skips it. */
  readonly evaluationTasks: number;
  /** Tasks per page, or forever. */
  readonly simulate: number | "forever";
  /**
   * In place of practice, people in a separate process type requests on a page and say how the answers are. It needs an
   * edge that waits for them (`FEEDBACK_WAIT_SECONDS`) and a recipe that learns from them. Edge, trainer and page then have no
   * environment.
   */
  readonly live?: LivePeople | undefined;
  readonly control: boolean;
  readonly site: Site;
  /** Default: the site's own model, or its base, which is made if there is none. */
  readonly model?: string | undefined;
  /** State folder; emptied first. */
  readonly folder: string;
  readonly isolated?: boolean;
  readonly trainerArgs?: readonly string[];
  readonly edgeVariables?: Readonly<Record<string, string>>;
  readonly onLine: (name: string, line: string) => void;
  readonly signal?: AbortSignal;
};

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The trainer's steps, from its log. */
export function trainerMetrics(folder: string): LoggedRow[] {
  const file = join(folder, "trainer", "metrics.jsonl");
  return existsSync(file) ? loggedRows(readFileSync(file, "utf8"), file) : [];
}

/** Runs the loop and returns its report. All processes that it started have ended when it returns. */
export async function runLoop(options: LoopOptions): Promise<LoopReport> {
  const { onLine, folder, live, signal = new AbortController().signal } = options;
  const say = (line: string) => onLine("loop", line);
  const site = requireEnvironment(options.site, "waggle loop");
  // What edge, page and trainer know of it.
  const known = live === undefined ? site : withoutEnvironment(site);
  requireState(folder);
  const collectsRewards = site.settings.collect === "rewards";
  // Pages perturb an adapter, so the first version has one that changes nothing.
  const initial = collectsRewards ? 1 : 0;
  const lock = new StateLock(folder);
  rmSync(folder, { recursive: true, force: true });
  const installation = openInstallation(folder);
  const processes: ManagedProcess[] = [];
  let visitors: Visitors | People | null = null;
  const finish = async () => {
    await visitors?.close().catch(() => undefined);
    for (const child of processes.toReversed()) await child.stop();
    lock.release();
  };
  // Also stops processes that are still starting, so that waiting for them fails at once.
  signal.addEventListener("abort", () => void stopAll());
  try {
    requireChromium();
    const page = live === undefined ? visitorsPage(site) : livePage(known);
    const model = options.model ?? (await siteModel(site, say, signal));
    const startedAt = Date.now();
    say("preparing storage and the page …");
    await Promise.all([
      migrate(installation, site).then(() => say("storage is ready")),
      buildPage(page, onLine).then(() => say("the page is built")),
    ]);
    say("starting the edge, the page and the trainer …");
    const edgePort = await freePort();
    const edgeUrl = `http://localhost:${edgePort}`;
    const sitePort = await freePort();
    const edge = await startEdge(installation, {
      port: edgePort,
      site: known,
      onLine,
      variables: { ...(live && liveRelease(live)), ...options.edgeVariables },
    });
    processes.push(edge);
    const operator = new OperatorClient(edgeUrl, installation.operatorCredential);
    const backend = live && (await startLiveBackend(site, operator, { edgeUrl, folder, onLine }));
    if (backend !== undefined) processes.push(backend.process);
    processes.push(
      await startPage(page, {
        port: sitePort,
        edgeUrl,
        isolated: options.isolated ?? true,
        onLine,
      }),
    );
    const trainer = startTrainer(installation, {
      edgeUrl,
      model,
      site: known,
      onLine,
      args: [
        ...(options.control ? ["--shuffle-advantages"] : []),
        ...(backend?.trainerArgs ?? []),
        ...(options.trainerArgs ?? []),
      ],
      refused: live === undefined ? [] : refusedModules(site),
    });
    processes.push(trainer);
    await untilPublished(edgeUrl, trainer);

    say(`opening ${options.pages} pages …`);
    const address = `http://localhost:${sitePort}/`;
    const { pages, device, simulate } = options;
    const people =
      live && backend
        ? startPeople(
            site,
            { page: address, backend: backend.url, pages, device, people: live },
            onLine,
          )
        : null;
    visitors = people ?? (await Visitors.open(address, { pages, device, simulate }));

    const deadline = Date.now() + options.minutes * 60_000;
    let statuses: VisitorStatus[] = [];
    for (;;) {
      await sleep(5000);
      signal.throwIfAborted();
      if (hasFinished(trainer)) break;
      if (!trainer.running || !edge.running) {
        const dead = trainer.running ? edge : trainer;
        throw new Error(`${dead.name} ended with ${dead.ending}:\n${dead.tail.join("\n")}`);
      }
      statuses = await visitors.statuses();
      const [summary, policies] = await Promise.all([operator.summary(), operator.policies()]);
      const published = policies.policies.filter((policy) => policy.version > 0).length;
      const { received, learned, waiting, leased } = summary.trajectories;
      const collected = collectsRewards
        ? `${acceptedRewards(statuses)} rewards`
        : `received ${received}, learned ${learned}, waiting ${waiting + leased}`;
      say(
        `${((Date.now() - startedAt) / 60_000).toFixed(1)} min · ${collected} · ${live === undefined ? "" : `answered ${answeredIn(statuses)} · `}` +
          `published ${published}, stable ${policies.stable} · ` +
          `pages on ${statuses.map((status) => status.policyVersion ?? "–").join(" ")}`,
      );
      // A page that is still loading has not started to simulate.
      const rolledOut =
        options.simulate !== "forever" &&
        statuses.every(
          ({ simulating, trajectories, errors }) =>
            !simulating && (trajectories.assigned > 0 || errors.length > 0),
        );
      // People who have not decided about a version go on.
      const isDeciding =
        live !== undefined && isReleasing(policies) && Date.now() < deadline + MOST_RELEASE_MS;
      const isOver = Date.now() > deadline && !isDeciding;
      if (isOver || published - initial >= options.publications || rolledOut) break;
    }

    say(
      `visitors stop; the last ${collectsRewards ? "rewards are sent" : `trajectories are uploaded${live === undefined ? " and learned from" : ""}`}, and a publication that is due is finished, for at most ${MOST_WAIT_MS / 60_000} minutes each; later steps are not published …`,
    );
    await visitors.stop();
    await untilDrained(operator, visitors, trainer, say, { isLive: live !== undefined });
    if (live !== undefined && !(await untilReleaseEnds(operator))) {
      say("people have not decided about the last version, so it is not deployed");
    }
    const hasPublished = await untilPublicationEnds(join(folder, "trainer"), trainer);
    if (!hasPublished && live === undefined) {
      say(
        "the loop waits no longer for the last publication; what it would have published is not deployed. Fewer evaluation tasks take less time (training.evaluationTasks)",
      );
    }
    await trainer.stop(60_000);
    const policies = await operator.policies();
    statuses = await untilSwapped(visitors, policies.stable);
    const [summary, rows, reactions] = await Promise.all([
      operator.summary(),
      operator.trajectories(),
      people?.reactions() ?? null,
    ]);
    await finish();

    let evaluation: Evaluation | null = null;
    if (options.evaluationTasks > 0) {
      signal.throwIfAborted();
      const { evaluationTasks: tasks } = options;
      const what =
        policies.stable === 0
          ? "no new version is deployed; measuring the base"
          : `comparing base and version ${policies.stable}`;
      say(`${what} on ${tasks} held-out tasks, at three temperatures; this takes some minutes …`);
      evaluation = await comparePolicies({
        folder,
        model,
        site,
        version: policies.stable,
        tasks,
        onLine,
      });
    }
    return loopReport({
      statuses,
      summary,
      policies,
      rows,
      metrics: trainerMetrics(folder),
      evaluation,
      reactions,
      collectsRewards,
      control: options.control,
      minutes: (Date.now() - startedAt) / 60_000,
    });
  } catch (error) {
    await finish();
    await stopAll();
    // Processes that were stopped are not the reason.
    throw signal.aborted ? signal.reason : error;
  }
}

/** Refuses to empty any folder except a state folder. */
function requireState(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  if (existsSync(join(folder, "credentials.json"))) return;
  throw new Error(
    `${folder} has other files and would be emptied; choose a new folder or the state of an earlier run`,
  );
}

/** True for a trainer that stopped because it was finished. */
const hasFinished = (trainer: ManagedProcess): boolean => trainer.child.exitCode === 0;

/** Rejects if the trainer ends before it has published the base model, or takes more than 2 minutes. */
async function untilPublished(edgeUrl: string, trainer: ManagedProcess): Promise<void> {
  const late = AbortSignal.timeout(120_000);
  const ended = new AbortController();
  void trainer.exited.then(() => ended.abort());
  try {
    await untilBaseModel(edgeUrl, AbortSignal.any([late, ended.signal]));
  } catch (cause) {
    const reason = late.aborted ? "did not publish the base model within 2 minutes" : "ended";
    throw new Error(`the trainer ${reason}:\n${trainer.tail.join("\n")}`, { cause });
  }
}

/** Requests of all pages that got a thumb. */
const answeredIn = (statuses: readonly VisitorStatus[]): number =>
  statuses.reduce((total, { people }) => total + people.answered, 0);

/**
 * Waits until pages have nothing to upload and the trainer has nothing to learn from.
 * @param options.isLive - the loop does not wait for the trainer: the people who would decide about a new version have stopped
 */
export async function untilDrained(
  operator: OperatorClient,
  visitors: Pick<Visitors, "statuses">,
  trainer: ManagedProcess,
  say: (line: string) => void,
  { isLive = false, timeoutMs = MOST_WAIT_MS }: { isLive?: boolean; timeoutMs?: number } = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const statuses = await visitors.statuses();
    const outbox = statuses.reduce((total, status) => total + status.outbox.waiting, 0);
    const { trajectories } = await operator.summary();
    const { leased, waiting } = trajectories;
    const idle = statuses.every((status) => !status.simulating);
    if (idle && outbox === 0 && (isLive || waiting + leased === 0)) return;
    if (hasFinished(trainer) && idle && outbox === 0) return;
    if (!trainer.running && !hasFinished(trainer)) {
      throw new Error(`the trainer ended with ${trainer.ending}:\n${trainer.tail.join("\n")}`);
    }
    if (Date.now() > deadline) {
      say(
        `the loop waits no longer: ${outbox} trajectories are not uploaded, ${waiting} wait for the trainer, and ${leased} are being learned from`,
      );
      return;
    }
    await sleep(1000);
  }
}

/** Waits until every page runs `version`, without a reload. */
async function untilSwapped(
  visitors: Pick<Visitors, "statuses" | "refresh">,
  version: number,
): Promise<VisitorStatus[]> {
  for (let tries = 0; ; tries += 1) {
    await visitors.refresh();
    const statuses = await visitors.statuses();
    if (statuses.every((status) => status.policyVersion === version) || tries >= 30)
      return statuses;
    await sleep(1000);
  }
}
