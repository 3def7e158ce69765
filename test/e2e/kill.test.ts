/**
 * Faults at seeded moments of a running loop: trainer and Worker (SIGKILL), pages (renderer crash), a second trainer on
 * the same edge or the same state folder, text publications, damaged objects. Afterwards nothing that a page was told is
 * stored is missing, nothing was learned twice, and no trainer ended on its own.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeGuidance, mulberry32 } from "@waggle/protocol";
import { afterAll, beforeAll, expect } from "vitest";
import { trainerMetrics, untilDrained } from "../../packages/dev/src/loop/loop.ts";
import { OperatorClient } from "../../packages/dev/src/loop/operator.ts";
import { Visitors } from "../../packages/dev/src/loop/visitors.ts";
import { buildPage, startPage } from "../../packages/dev/src/pages/pages.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { startTrainer } from "../../packages/dev/src/stack/trainer-process.ts";
import { NANO_MODEL, DEMO, DEMO_PAGE } from "../fixtures/demo.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { type Installation, openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { publishText } from "../../trainer/src/commands/publish-text.ts";
import { fault } from "../fixtures/fault.ts";
import { isLong, sampleSize } from "../fixtures/long.ts";
import { damageTrajectory } from "./damaged-object.fixture.ts";

/** The sample has one of each kind. */
const FAULTS = sampleSize(7, 200);
/** No more faults after this time. */
const BUDGET_MS = 20 * 60_000;
const SEED = 13;
const folder = join(ROOT, ".waggle", "test-kill");
const secondFolder = join(folder, "second");
let installation: Installation;
let second: Installation;
let edgePort: number;
let edge: ManagedProcess;
let trainer: ManagedProcess;
let other: ManagedProcess | null = null;
let site: ManagedProcess;
let visitors: Visitors;
/** Last lines of trainers that ended on their own, which is a failure. */
const trainerExits: string[] = [];
let damaged = 0;
/** Faults by kind. */
const counts: { [kind: string]: number } = {};
/** By lease: rows that the other trainer had already learned, so that a late trainer discarded its own step. */
const givenUp = new Map<string, number>();

const edgeUrl = () => `http://localhost:${edgePort}`;
// Leases and groups of a killed process must be returned within the test.
const startWorker = () =>
  startEdge(installation, {
    site: DEMO,
    port: edgePort,
    variables: {
      GROUP_SIZE: "4",
      GROUP_DEADLINE_SECONDS: "10",
      GATE_MIN_TASKS: "8",
      GATE_PROBE_TASKS: "8",
      GATE_MARGIN: "1",
      GATE_SIGNIFICANCE: "0",
    },
  });
const startLearning = (of: Installation) =>
  startTrainer(of, {
    site: DEMO,
    edgeUrl: edgeUrl(),
    model: NANO_MODEL,
    onLine: (_, line) => {
      const [, lease, rows] =
        /^learned-elsewhere: lease id (\S+), trajectories (\d+)/.exec(line) ?? [];
      if (lease !== undefined) givenUp.set(lease, Number(rows));
    },
    args: [
      "--groups-per-step",
      "2",
      "--publish-every",
      "3",
      "--evaluation-tasks",
      "8",
      "--promotion-margin",
      "1",
      "--lease-seconds",
      "6",
      "--partial-step-seconds",
      "4",
    ],
  });

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function reasonsOf(rows: readonly { readonly reason?: string | null }[]): {
  readonly [reason: string]: number;
} {
  const byReason = Map.groupBy(rows, ({ reason }) => reason ?? "none");
  return Object.fromEntries([...byReason].map(([reason, { length }]) => [reason, length]));
}

function noteExit(child: ManagedProcess): void {
  if (!child.running) trainerExits.push(`${child.ending}: ${child.tail.slice(-8).join("\n")}`);
}

async function kill(child: ManagedProcess): Promise<void> {
  noteExit(child);
  child.signal("SIGKILL");
  await child.exited;
}

const KINDS: { readonly [kind: string]: (index: number) => Promise<void> } = {
  async trainer() {
    await kill(trainer);
    trainer = startLearning(installation);
  },
  async edge() {
    edge.signal("SIGKILL");
    await edge.exited;
    edge = await startWorker();
  },
  async page(index) {
    await visitors.crash(index % visitors.pages.length);
  },
  async "second trainer"() {
    if (other !== null) await kill(other);
    other = other === null ? startLearning(second) : null;
  },
  async "same folder"() {
    const holder = join(folder, "trainer", "lock.pid");
    const isHeld = () =>
      existsSync(holder) && readFileSync(holder, "utf8") === String(trainer.child.pid);
    while (trainer.running && !isHeld()) await sleep(100);
    const refused = startLearning(installation);
    expect(await refused.exited).toBe(1);
    expect(refused.tail.join("\n")).toContain("another trainer (process");
  },
  async text(index) {
    const { trainerCredential: credential } = installation;
    const client = createEdgeClient({ baseUrl: edgeUrl(), credential });
    const prompt = `Be brief, and think of ${index}.`;
    const guidance = { formatVersion: 1, prompt, lessons: [], cases: null } as const;
    await publishText(writeGuidance(guidance), client, { withoutEvaluation: true });
  },
  async object(index) {
    if (damageTrajectory(installation, index % 2 === 0)) damaged += 1;
  },
};

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  installation = openInstallation(folder);
  second = { ...installation, folder: secondFolder };
  edgePort = await freePort();
  const sitePort = await freePort();
  await Promise.all([migrate(installation, DEMO), buildPage(DEMO_PAGE)]);
  edge = await startWorker();
  site = await startPage(DEMO_PAGE, { port: sitePort, edgeUrl: edgeUrl() });
  trainer = startLearning(installation);
  visitors = await Visitors.open(`http://localhost:${sitePort}/`, {
    pages: 2,
    device: "auto",
    simulate: "forever",
  });
}, 180_000);

afterAll(async () => {
  await visitors?.close();
  for (const child of [trainer, other, site, edge]) await child?.stop();
});

fault(
  "faults of every kind in a running loop lose nothing and repeat nothing",
  {
    item: "2.1",
    before: "15 kills of trainer, Worker and pages only; text or a 2nd trainer ended a trainer",
    timeoutMs: sampleSize(600_000, 3_600_000),
  },
  async () => {
    const operator = new OperatorClient(edgeUrl(), installation.operatorCredential);
    for (let tries = 0; tries < 120; tries += 1) {
      const learned = await operator.summary().then(
        ({ trajectories }) => trajectories.learned,
        () => 0,
      );
      if (learned > 0) break;
      await sleep(1000);
    }

    const startedAt = Date.now();
    const random = mulberry32(SEED);
    const kinds = Object.keys(KINDS);
    let faults = 0;
    for (; faults < FAULTS && Date.now() - startedAt < BUDGET_MS; faults += 1) {
      await sleep(500 + 3500 * random());
      // Each kind occurs once, in a new order, before any occurs again.
      const left = kinds.length - (faults % kinds.length);
      const chosen = Math.floor(random() * left);
      const kind = kinds[chosen] as string;
      kinds.push(...kinds.splice(chosen, 1));
      await KINDS[kind]?.(faults);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    // The second trainer must still acknowledge what it committed.
    other ??= startLearning(second);
    await sleep(10_000);
    await visitors.stop();
    await untilDrained(operator, visitors, trainer, () => undefined);
    const statuses = await visitors.statuses();
    const summary = await operator.summary();
    const rows = await operator.trajectories();
    for (const child of [trainer, other]) {
      noteExit(child);
      await child.stop(30_000);
    }

    const sent = statuses.reduce((total, status) => total + status.outbox.sent, 0);
    const { received, learned, skipped, rejected, waiting, leased } = summary.trajectories;
    expect({ waiting, leased }).toEqual({ waiting: 0, leased: 0 });
    expect(statuses.map((status) => status.outbox.waiting)).toEqual(statuses.map(() => 0));
    // Every trajectory that a page counts as sent is at the edge, and the edge has no others.
    expect(received).toBe(sent);
    expect(learned + skipped + rejected).toBe(received);
    const distinct = new Set(rows.map((row) => row.digest)).size;
    // Both sides counted the learned trajectories, each step once.
    const steps = trainerMetrics(folder);
    expect(new Set(steps.map((row) => row.step)).size).toBe(steps.length);
    const trained = [...steps, ...trainerMetrics(secondFolder)].reduce(
      (total, row) => total + (row.metrics["trajectories"] ?? 0),
      0,
    );
    const elsewhere = [...givenUp.values()].reduce((total, count) => total + count, 0);
    const outcome = {
      lost: sent - distinct,
      twice: trained - learned - elsewhere,
      trainerExits: trainerExits.length,
    };
    if (isLong()) {
      const report = {
        date: new Date().toISOString(),
        commit: execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim(),
        seed: SEED,
        faults,
        kinds: counts,
        damagedObjects: damaged,
        received,
        learned,
        skipped,
        rejected,
        rejectedFor: reasonsOf(rows.filter(({ status }) => status === "rejected")),
        learnedByTwoTrainersAndGivenUpByOne: elsewhere,
        ...outcome,
        minutes: Math.round((Date.now() - startedAt) / 6000) / 10,
      };
      const file = join(ROOT, "docs", "evidence", "kill.json");
      writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
    }
    expect(trainerExits).toEqual([]);
    expect(learned).toBeGreaterThan(20);
    return {
      after: `${faults} faults (${counts["text"]} texts, ${damaged} damaged objects): ${received} received, ${learned} learned, ${rejected} rejected`,
      ...outcome,
    };
  },
);
