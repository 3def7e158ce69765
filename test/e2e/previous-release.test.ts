/**
 * An upgrade from the previous release, with builds of both. Its edge, its trainer and an open page of it learn one
 * version; then its edge is replaced by the one of these sources over the same storage, while page and trainer go on;
 * then the new page and the new trainer take over. Nothing is lost, and nothing is learned twice.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UploadResponse } from "@waggle/protocol";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHROMIUM_FLAGS, chromiumPath } from "../../packages/dev/src/loop/chromium.ts";
import { trainerMetrics } from "../../packages/dev/src/loop/loop.ts";
import { OperatorClient } from "../../packages/dev/src/loop/operator.ts";
import { buildPage, startPage } from "../../packages/dev/src/pages/pages.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { startEdge, untilBaseModel } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { type Installation, openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { startTrainer } from "../../packages/dev/src/stack/trainer-process.ts";
import { ROOT } from "../../scripts/root.ts";
import { DEMO, DEMO_PAGE, NANO_MODEL } from "../fixtures/demo.ts";
import { isLong } from "../fixtures/long.ts";
import {
  PREVIOUS_COMMIT,
  type PreviousRelease,
  previousRelease,
} from "../fixtures/previous-release.ts";
import { keptBy, outboxOf, statusOf, untilReady } from "./shop-page.fixture.ts";
import { SMALL_GROUPS } from "./trainer-life.fixture.ts";

const folder = join(ROOT, ".waggle", "test-previous-release");
const STEPS = Object.entries({
  "--groups-per-step": "2",
  "--publish-every": "1",
  "--evaluation-tasks": "8",
  "--promotion-margin": "1",
  "--lease-seconds": "20",
  "--partial-step-seconds": "1",
  "--poll-seconds": "0.2",
  "--threads": "1",
}).flat();
const PATIENCE = { timeout: 120_000, interval: 500 };

/** The file of the page's entry module, which its build names after its contents. */
const entryIn = (html: string): string => /src="[^"]*\/(index-[^"/]+\.js)"/.exec(html)?.[1] ?? "";

/** The answers to a page's uploads: digests, reasons, and the number of requests that the edge could not serve. */
type Uploads = { readonly accepted: string[]; readonly refused: string[]; failed: number };

/** Reads the answers to all uploads of a page. */
function uploadsOf(page: Page): Uploads {
  const uploads: Uploads = { accepted: [], refused: [], failed: 0 };
  page.on("response", (response) => {
    if (!response.url().endsWith("/v1/trajectories")) return;
    if (response.status() >= 500) uploads.failed += 1;
    if (!response.ok()) return;
    void response.json().then((body) => {
      for (const result of UploadResponse.parse(body).results) {
        if (result.status === "rejected") uploads.refused.push(`${result.code}: ${result.message}`);
        else uploads.accepted.push(result.digest);
      }
    });
  });
  return uploads;
}

/** Digests of the trajectories that the page has not sent. */
async function unsentIn(page: Page): Promise<string[]> {
  const { rows } = await keptBy(page);
  return rows.flatMap((row) => {
    const { digest, state } = row as { digest?: string; state?: string };
    return digest !== undefined && state === "waiting" ? [digest] : [];
  });
}

describe.runIf(isLong())("an upgrade from the previous release", () => {
  const lines: string[] = [];
  const onLine = (name: string, line: string): void => void lines.push(`${name} ${line}`);
  const running: ManagedProcess[] = [];
  let previous: PreviousRelease;
  let browser: Browser;
  let installation: Installation;

  const started = <T extends ManagedProcess>(child: T): T => {
    running.push(child);
    return child;
  };

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    installation = openInstallation(folder);
    previous = await previousRelease();
    await Promise.all([
      previous.migrate(installation),
      previous.buildPage("demo"),
      buildPage(DEMO_PAGE),
    ]);
    browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  }, 600_000);

  afterAll(async () => {
    await browser?.close();
    for (const child of running.toReversed()) await child.stop();
    writeFileSync(join(folder, "output.txt"), lines.join("\n"));
  });

  test("an open page and a trainer of the previous release go on, and those of this release take over", async () => {
    const startedAt = Date.now();
    const port = await freePort();
    const pagePort = await freePort();
    const edgeUrl = `http://localhost:${port}`;
    const address = `http://localhost:${pagePort}/`;
    const page = await (await browser.newContext()).newPage();
    const uploads = uploadsOf(page);
    const operator = new OperatorClient(edgeUrl, installation.operatorCredential);
    const steps = () => trainerMetrics(folder);

    /** What was learned, published and sent until now. */
    const state = async () => ({
      steps: steps().length,
      versions: (await operator.policies()).policies.filter(({ version }) => version > 0),
      sent: uploads.accepted.length,
    });
    /** Waits until the page runs a version that is newer than `than`. */
    const untilNewer = (than: number) =>
      expect
        .poll(async () => (await statusOf(page)).policyVersion ?? 0, PATIENCE)
        .toBeGreaterThan(than);

    const [oldBuild, newBuild] = [join(previous.folder, "apps/demo/dist"), DEMO_PAGE.out].map(
      (out) => entryIn(readFileSync(join(out, "index.html"), "utf8")),
    );
    expect(newBuild).not.toBe(oldBuild);

    // The previous release alone.
    const startOldEdge = async () =>
      started(await previous.startEdge(installation, { port, variables: SMALL_GROUPS, onLine }));
    const oldEdge = await startOldEdge();
    const oldSite = started(await previous.startPage("demo", { port: pagePort, edgeUrl, onLine }));
    const model = previous.modelFolder();
    const oldTrainer = started(
      previous.startTrainer(installation, { edgeUrl, model, args: STEPS, onLine }),
    );
    await untilBaseModel(edgeUrl, AbortSignal.timeout(60_000));
    await page.goto(`${address}?simulate=forever&autoconsent=1&device=wasm`);
    await untilReady(page);
    expect(entryIn(await page.content())).toBe(oldBuild);
    await untilNewer(0);
    const before = await state();

    // The migrations come first, as docs/how-to/sites.md says. Until the new edge starts, the previous one cannot write.
    await oldEdge.stop();
    await migrate(installation, DEMO);
    const migratedEdge = await startOldEdge();
    await expect.poll(() => uploads.failed, PATIENCE).toBeGreaterThan(0);
    await migratedEdge.stop();
    await expect.poll(async () => (await outboxOf(page)).waiting, PATIENCE).toBeGreaterThan(0);
    const whileAway = await unsentIn(page);
    // As in the previous release, the gate needs no retention tasks. Its trainer evaluates none.
    const variables = { ...SMALL_GROUPS, GATE_RETENTION_TASKS: "0" };
    const edge = started(await startEdge(installation, { port, site: DEMO, variables, onLine }));
    await expect
      .poll(() => whileAway.filter((one) => !uploads.accepted.includes(one)), PATIENCE)
      .toEqual([]);
    // One version may have been published just before the previous edge stopped.
    await untilNewer(before.versions.length + 1);
    expect(await statusOf(page)).toMatchObject({
      phase: "ready",
      reloads: 0,
      outbox: { rejected: 0, dropped: 0 },
    });

    // This release takes over, with an outbox that the previous one filled.
    await oldTrainer.stop(60_000);
    const mixed = await state();
    const api = "**/v1/trajectories";
    await page.context().route(api, (route) => route.abort());
    await expect.poll(async () => (await outboxOf(page)).waiting, PATIENCE).toBeGreaterThan(0);
    await oldSite.stop();
    const site = started(await startPage(DEMO_PAGE, { port: pagePort, edgeUrl, onLine }));
    const unsent = await unsentIn(page);
    const sentBefore = uploads.accepted.length;
    await page.reload();
    await page.context().unroute(api);
    await untilReady(page);
    expect(entryIn(await page.content())).toBe(newBuild);
    const trainer = started(
      startTrainer(installation, { edgeUrl, model: NANO_MODEL, site: DEMO, args: STEPS, onLine }),
    );
    await untilNewer(mixed.versions.length);

    // Everything is sent and learned.
    await page.locator("#simulate").click();
    await expect.poll(() => outboxOf(page), PATIENCE).toMatchObject({ waiting: 0 });
    const counts = async () => (await operator.summary()).trajectories;
    await expect.poll(counts, PATIENCE).toMatchObject({ waiting: 0, leased: 0 });
    await trainer.stop(60_000);
    expect([oldTrainer, trainer].map(({ child }) => child.exitCode)).toEqual([0, 0]);

    const { trajectories, skippedByReason } = await operator.summary();
    const { received, learned, skipped, rejected } = trajectories;
    const rows = await operator.trajectories();
    const digests = new Set(rows.map(({ digest }) => digest));
    const last = await state();
    const trained = steps().reduce((sum, { metrics }) => sum + (metrics["trajectories"] ?? 0), 0);
    const report = {
      date: new Date().toISOString(),
      commits: {
        previous: PREVIOUS_COMMIT,
        current: execFileSync("git", ["rev-parse", "HEAD"], { cwd: ROOT, encoding: "utf8" }).trim(),
      },
      uploaded: {
        previousOnly: before.sent,
        previousPageToNewEdge: sentBefore - before.sent,
        newOnly: last.sent - sentBefore,
        whileTheEdgeWasAway: whileAway.length,
        inTheOutboxOfThePreviousPage: unsent.length,
      },
      steps: {
        previousOnly: before.steps,
        previousTrainerWithNewEdge: mixed.steps - before.steps,
        newOnly: last.steps - mixed.steps,
      },
      versions: {
        previousOnly: before.versions.length,
        previousTrainerWithNewEdge: mixed.versions.length - before.versions.length,
        newOnly: last.versions.length - mixed.versions.length,
      },
      trajectories: { received, learned, skipped, rejected },
      skippedByReason,
      visitors: new Set(rows.map(({ visitorId }) => visitorId)).size,
      lost: uploads.accepted.filter((digest) => !digests.has(digest)).length,
      twice: trained - learned,
      minutes: Math.round((Date.now() - startedAt) / 6000) / 10,
    };
    console.log(JSON.stringify(report, null, 2));

    expect(uploads.refused).toEqual([]);
    expect(report).toMatchObject({ lost: 0, twice: 0, visitors: 1 });
    // The reload can cut off an answer, so that the edge has more than the page was told.
    expect(new Set(uploads.accepted).size).toBeLessThanOrEqual(received);
    expect(learned + skipped + rejected).toBe(received);
    expect(unsent.filter((digest) => !digests.has(digest))).toEqual([]);
    for (const count of [report.uploaded, report.steps, report.versions].flatMap(Object.values)) {
      expect(count).toBeGreaterThan(0);
    }
    // Steps and versions are numbered on, and the earlier ones are as they were.
    expect(steps().map(({ step }) => step)).toEqual(steps().map((_, i) => i + 1));
    expect(last.versions.map(({ version }) => version).sort((a, b) => a - b)).toEqual(
      last.versions.map((_, i) => i + 1),
    );
    const weights = new Map(
      last.versions.map(({ version, adapter }) => [version, adapter?.sha256]),
    );
    for (const { version, adapter } of mixed.versions) {
      expect(weights.get(version)).toBe(adapter?.sha256);
    }
    writeFileSync(
      join(ROOT, "docs", "evidence", "previous-release.json"),
      `${JSON.stringify(report, null, 2)}\n`,
    );
    await Promise.all([edge.stop(), site.stop()]);
  }, 600_000);
});
