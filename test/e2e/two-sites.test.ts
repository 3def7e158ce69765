/**
 * Two sites on one edge, each with its own visitors and trainer. Both trainers are killed ten times. Afterwards no site has a trajectory, task, step or policy of the other, nothing is lost, and nothing was
 * learned twice.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FULL_SUPPORT, mulberry32, type TrajectoryRow } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { trainerMetrics } from "../../packages/dev/src/loop/loop.ts";
import { OperatorClient } from "../../packages/dev/src/loop/operator.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { migrate, startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { NANO_MODEL, DEMO } from "../fixtures/demo.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { createSiteClient } from "../../trainer/src/edge/site-client.ts";
import { offerBaseModel } from "../../trainer/src/edge-training/training-session.ts";
import { readBaseModel } from "../../trainer/src/model/base-model.ts";
import { openPolicy } from "../../trainer/src/model/open-model.ts";
import { fault } from "../fixtures/fault.ts";
import { isLong } from "../fixtures/long.ts";
import { finishGroups } from "./node-visitors.fixture.ts";
import {
  exitsOf,
  liveTrainer,
  SMALL_GROUPS,
  type TrainerLife,
  twiceIn,
} from "./trainer-life.fixture.ts";

/** Kills of each trainer, at least. */
const KILLS = 10;
const SEED = 17;
/** The sites' tasks have different seeds, so a task says whose it is. */
const SEEDS = { default: 1_000_000, desk: 2_000_000 } as const;
const BOUNDARIES = ["commit", "acknowledge", "publish", "lease", "promote", "put"] as const;
const folder = join(ROOT, ".waggle", "test-two-sites");

type SiteName = keyof typeof SEEDS;
/** One of the two sites, and what its visitors and trainers did so far. */
type PlayedSite = {
  readonly name: SiteName;
  readonly siteKey: string;
  readonly credential: string;
  readonly operator: OperatorClient;
  /** The folder of its trainer's state is `trainer` in here. */
  readonly folder: string;
  readonly accepted: string[];
  readonly lives: TrainerLife[];
  kills: number;
};

let edge: ManagedProcess;
let edgeUrl: string;
let policy: AdaptivePolicy;
let sites: readonly PlayedSite[];
let play: (site: PlayedSite, groups: number) => Promise<void>;

/** Runs the site's trainer until it is killed after `boundary` or has nothing left. */
async function live(site: PlayedSite, boundary: string): Promise<void> {
  const { credential } = site;
  const state = join(site.folder, "trainer");
  const life = await liveTrainer(boundary, { edgeUrl, credential, state, idleSeconds: 6 });
  if (life.signal === "SIGKILL") site.kills += 1;
  site.lives.push(life);
}

async function measure(site: PlayedSite, foreign: PlayedSite) {
  const { trajectories } = await site.operator.summary();
  const rows = await site.operator.trajectories();
  const digests = new Set(rows.map(({ digest }) => digest));
  const steps = trainerMetrics(site.folder);
  const trained = steps.reduce((sum, { metrics }) => sum + (metrics["trajectories"] ?? 0), 0);
  const versions = (await site.operator.policies()).policies;
  const adapters = versions.flatMap(({ adapter }) => (adapter === null ? [] : [adapter.sha256]));
  const isForeign = (row: TrajectoryRow): boolean =>
    foreign.accepted.includes(row.digest) ||
    Math.floor((row.task?.seed ?? 0) / SEEDS.default) !== SEEDS[site.name] / SEEDS.default;
  const { received, learned, skipped, rejected, waiting, leased } = trajectories;
  expect(new Set(steps.map(({ step }) => step)).size).toBe(steps.length);
  return {
    adapters,
    counts: {
      kills: site.kills,
      sent: site.accepted.length,
      received,
      learned,
      skipped,
      rejected,
      waiting: waiting + leased,
      steps: steps.length,
      versions: versions.length - 1,
      crossed: rows.filter(isForeign).length,
      lost: site.accepted.filter((digest) => !digests.has(digest)).length,
      twice: trained - learned + site.lives.reduce((sum, life) => sum + twiceIn(life), 0),
      trainerExits: exitsOf(...site.lives.filter(({ signal }) => signal !== "SIGKILL")),
    },
  };
}

describe.runIf(isLong())("two sites", () => {
  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    const installation = openInstallation(folder);
    const port = await freePort();
    edgeUrl = `http://localhost:${port}`;
    await migrate(installation, DEMO);
    edge = await startEdge(installation, { site: DEMO, port, variables: SMALL_GROUPS });
    const desk = await createSiteClient({
      baseUrl: edgeUrl,
      credential: installation.operatorCredential,
    }).create({
      id: "desk",
      settings: {
        allowedOrigins: ["*"],
        taskEnvironment: DEMO.environment.name,
        taskSeedStart: SEEDS.desk,
      },
    });
    const site = (
      name: SiteName,
      siteKey: string,
      credential: string,
      operator: string,
    ): PlayedSite => ({
      name,
      siteKey,
      credential,
      operator: new OperatorClient(edgeUrl, operator),
      folder: join(folder, name),
      accepted: [],
      lives: [],
      kills: 0,
    });
    const { siteKey, trainerCredential, operatorCredential } = installation;
    sites = [
      site("default", siteKey, trainerCredential, operatorCredential),
      site(
        "desk",
        desk.site.settings.siteKeys?.[0] ?? "",
        desk.trainerCredential,
        desk.operatorCredential,
      ),
    ];
    const model = await readBaseModel(NANO_MODEL);
    policy = await openPolicy(model, 1);
    for (const { credential } of sites) {
      await offerBaseModel(model, createEdgeClient({ baseUrl: edgeUrl, credential }));
    }
    const environments = [DEMO.environment];
    const parts = { policy, format: model.format, sampling: FULL_SUPPORT, environments };
    play = async ({ name, siteKey, accepted }, groups) => {
      const options = { edgeUrl, siteKey, parts, seed: SEEDS[name] + accepted.length };
      accepted.push(...(await finishGroups(options, groups, Number(SMALL_GROUPS.GROUP_SIZE))));
    };
  }, 180_000);

  afterAll(async () => {
    await edge?.stop();
    await policy?.dispose();
  });

  fault(
    "two sites on one edge, whose trainers are both killed, lose, repeat and share nothing",
    { item: "2.1", before: "an edge had one site", timeoutMs: 1_200_000 },
    async () => {
      const startedAt = Date.now();
      const random = mulberry32(SEED);
      for (let round = 0; sites.some(({ kills }) => kills < KILLS); round += 1) {
        await Promise.all(
          sites.map(async (site, i) => {
            // The first rounds are fixed, so that four boundaries are certain to occur.
            const draw = round < 2 ? 2 * round + i : Math.floor(random() * BOUNDARIES.length);
            await play(site, 2);
            await live(site, BOUNDARIES[draw] ?? "commit");
          }),
        );
      }
      await Promise.all(sites.map((site) => live(site, "none")));

      const [first, second] = sites as [PlayedSite, PlayedSite];
      const a = await measure(first, second);
      const b = await measure(second, first);
      for (const { counts } of [a, b]) {
        const { received, learned, skipped, rejected } = counts;
        expect(counts).toMatchObject({ received: counts.sent, waiting: 0, crossed: 0 });
        expect(learned + skipped + rejected).toBe(received);
        expect(learned).toBeGreaterThan(0);
        expect(counts.kills).toBeGreaterThanOrEqual(KILLS);
        expect(counts.versions).toBeGreaterThan(0);
      }
      // The sites learned different things from different tasks.
      expect(a.adapters.filter((sha256) => b.adapters.includes(sha256))).toEqual([]);
      const git = ["rev-parse", "HEAD"];
      const report = {
        date: new Date().toISOString(),
        commit: execFileSync("git", git, { cwd: ROOT, encoding: "utf8" }).trim(),
        seed: SEED,
        sites: { default: a.counts, desk: b.counts },
        minutes: Math.round((Date.now() - startedAt) / 6000) / 10,
      };
      const file = join(ROOT, "docs", "evidence", "kill-two-sites.json");
      writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
      const sum = (of: "kills" | "learned" | "lost" | "twice" | "trainerExits") =>
        a.counts[of] + b.counts[of];
      return {
        after: `${sum("kills")} kills, ${sum("learned")} learned, 0 crossed`,
        lost: sum("lost"),
        twice: sum("twice"),
        trainerExits: sum("trainerExits"),
      };
    },
  );
});
