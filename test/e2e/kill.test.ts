/**
 * Trainer and Worker (SIGKILL) and pages (renderer crash) are killed at arbitrary moments of a running
 * loop, five times each (twice under npm test). Afterwards nothing that a page was told is stored may be missing, nothing may have been
 * learned twice, and the trainer's own count must be the edge's.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { trainerMetrics, untilDrained } from "../../scripts/loop/loop.ts";
import { OperatorClient } from "../../scripts/loop/operator.ts";
import { Visitors } from "../../scripts/loop/visitors.ts";
import {
  buildSite,
  migrate,
  modelFolder,
  startEdge,
  startSite,
  startTrainer,
} from "../../scripts/services.ts";
import {
  freePort,
  type Installation,
  type ManagedProcess,
  openInstallation,
  ROOT,
} from "../../scripts/stack.ts";
import { sampleSize } from "../fixtures/long.ts";

/** Of each kind. */
const KILLS = sampleSize(2, 5);
const folder = join(ROOT, ".waggle", "test-kill");
let installation: Installation;
let edgePort: number;
let edge: ManagedProcess;
let trainer: ManagedProcess;
let site: ManagedProcess;
let visitors: Visitors;

const edgeUrl = () => `http://localhost:${edgePort}`;
// Leases and groups that a killed party holds must come back within the test.
const startWorker = () =>
  startEdge(installation, {
    port: edgePort,
    variables: {
      ...{ GROUP_SIZE: "4", GROUP_DEADLINE_SECONDS: "10" },
      ...{ GATE_MIN_TASKS: "8", GATE_MARGIN: "1", GATE_SIGNIFICANCE: "0" },
    },
  });
const startLearning = () =>
  startTrainer(installation, {
    edgeUrl: edgeUrl(),
    model: modelFolder(),
    args: [
      ...["--groups-per-step", "2", "--publish-every", "3", "--evaluation-tasks", "8"],
      ...["--promotion-margin", "1", "--lease-seconds", "6", "--partial-step-seconds", "4"],
    ],
  });

/** Moments between 0.5 and 4 s that are the same in every run. */
const moments = Array.from({ length: 3 * KILLS }, (_, i) => 500 + ((i * 2654435761) % 3500));
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

beforeAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  installation = openInstallation(folder);
  edgePort = await freePort();
  const sitePort = await freePort();
  await Promise.all([migrate(installation), buildSite("demo")]);
  edge = await startWorker();
  site = await startSite("demo", { port: sitePort, edgeUrl: edgeUrl() });
  trainer = startLearning();
  visitors = await Visitors.open(`http://localhost:${sitePort}/`, {
    pages: 2,
    device: "auto",
    simulate: "forever",
  });
}, 180_000);

afterAll(async () => {
  await visitors?.close();
  for (const child of [trainer, site, edge]) await child?.stop();
});

test("killing trainer, Worker and pages several times each loses nothing and repeats nothing", async () => {
  const operator = new OperatorClient(edgeUrl(), installation.operatorCredential);
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const learned = await operator.summary().then(
      ({ trajectories }) => trajectories.learned,
      () => 0,
    );
    if (learned > 0) break;
    await sleep(1000);
  }

  for (const [index, ms] of moments.entries()) {
    await sleep(ms);
    if (index % 3 === 0) {
      trainer.signal("SIGKILL");
      await trainer.exited;
      trainer = startLearning();
    } else if (index % 3 === 1) {
      edge.signal("SIGKILL");
      await edge.exited;
      edge = await startWorker();
    } else {
      await visitors.crash(index % visitors.pages.length);
    }
  }
  await sleep(10_000);
  await visitors.stop();
  await untilDrained(operator, visitors, trainer, () => undefined, 240_000);
  const statuses = await visitors.statuses();
  const summary = await operator.summary();
  const rows = await operator.trajectories();
  await trainer.stop(30_000);

  const sent = statuses.reduce((total, status) => total + status.outbox.sent, 0);
  const { received, learned, skipped, rejected, waiting, leased } = summary.trajectories;
  expect({ waiting, leased }).toEqual({ waiting: 0, leased: 0 });
  expect(statuses.map((status) => status.outbox.waiting)).toEqual(statuses.map(() => 0));
  // Every trajectory that a page holds as sent is at the edge; the edge has no other.
  expect(received).toBe(sent);
  expect(learned + skipped + rejected).toBe(received);
  expect(new Set(rows.map((row) => row.digest)).size).toBe(received);
  // Both sides counted what was learned, each step once.
  const steps = trainerMetrics(folder);
  expect(new Set(steps.map((row) => row.step)).size).toBe(steps.length);
  expect(steps.reduce((total, row) => total + (row.metrics["trajectories"] ?? 0), 0)).toBe(learned);
  expect(learned).toBeGreaterThan(20);
}, 600_000);
