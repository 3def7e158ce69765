/**
 * Two sites on one edge, each with its own environment, base model, visitors and trainer: the shop and the doors of
 * `test/fixtures`. Both trainers are killed ten times. Afterwards no site has a trajectory, task, step or policy of the
 * other, no trainer got a task of the other environment, nothing is lost, and nothing was learned twice.
 */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EnvironmentSpec } from "@waggle/environments";
import { FULL_SUPPORT, mulberry32, type TrajectoryRow } from "@waggle/protocol";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { trainerMetrics } from "../../packages/dev/src/loop/loop.ts";
import { OperatorClient } from "../../packages/dev/src/loop/operator.ts";
import type { ManagedProcess } from "../../packages/dev/src/processes/managed-process.ts";
import { freePort } from "../../packages/dev/src/processes/ports.ts";
import { startEdge } from "../../packages/dev/src/stack/edge-process.ts";
import { migrate } from "../../packages/dev/src/stack/migrations.ts";
import { openInstallation } from "../../packages/dev/src/stack/installation.ts";
import { ROOT } from "../../scripts/root.ts";
import { DEMO, DEMO_FOLDER, NANO_MODEL } from "../fixtures/demo.ts";
import { doors } from "../fixtures/doors-site.ts";
import { createEdgeClient } from "../../trainer/src/edge/edge-client.ts";
import { createSiteClient } from "../../trainer/src/edge/site-client.ts";
import { offerBaseModel } from "../../trainer/src/edge-training/training-session.ts";
import { type BaseModel, readBaseModel } from "../../trainer/src/model/base-model.ts";
import { openPolicy } from "../../trainer/src/model/open-model.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../../trainer/src/pretrain/environment-base.ts";
import { fault } from "../fixtures/fault.ts";
import { isLong } from "../fixtures/long.ts";
import { finishGroups } from "./node-visitors.fixture.ts";
import {
  exitsOf,
  leasedEnvironments,
  liveTrainer,
  SMALL_GROUPS,
  type TrainerLife,
  twiceIn,
} from "./trainer-life.fixture.ts";

/** Kills of each trainer, at least. */
const KILLS = 10;
const SEED = 17;
/** The first seed of each site's visitors. */
const SEEDS = { default: 1_000_000, doors: 2_000_000 } as const;
/** A base for the doors that is trained in seconds and errs in half of its turns. */
const DOORS_BASE = { ...ENVIRONMENT_BASE, steps: 300, width: 64, layers: 2, mistakes: 0.5 };
const BOUNDARIES = ["commit", "acknowledge", "publish", "lease", "promote", "put"] as const;
const folder = join(ROOT, ".waggle", "test-two-sites");

type GivenSite = {
  readonly name: keyof typeof SEEDS;
  readonly environment: EnvironmentSpec;
  /** What its trainer's `--env` takes. */
  readonly source: string;
  /** Folder of its base model. */
  readonly model: string;
  readonly siteKey: string;
  readonly credential: string;
};
/** One of the two sites, and what its visitors and trainers did so far. */
type PlayedSite = GivenSite & {
  readonly format: BaseModel["format"];
  readonly policy: AdaptivePolicy;
  readonly operator: OperatorClient;
  /** The folder of its trainer's state is `trainer` in here. */
  readonly folder: string;
  readonly accepted: string[];
  readonly lives: TrainerLife[];
  kills: number;
};

let edge: ManagedProcess;
let edgeUrl: string;
let sites: readonly PlayedSite[];

/** Opens the model of a site and offers it to the edge. */
async function playedSite(given: GivenSite, operatorCredential: string): Promise<PlayedSite> {
  const base = await readBaseModel(given.model);
  const { credential } = given;
  await offerBaseModel(base, createEdgeClient({ baseUrl: edgeUrl, credential }));
  return {
    ...given,
    format: base.format,
    policy: await openPolicy(base, 1),
    operator: new OperatorClient(edgeUrl, operatorCredential),
    folder: join(folder, given.name),
    accepted: [],
    lives: [],
    kills: 0,
  };
}

/** Finishes groups with the site's visitors. */
async function play(site: PlayedSite, groups: number): Promise<void> {
  const { siteKey, accepted, policy, format } = site;
  const parts = { policy, format, sampling: FULL_SUPPORT, environments: [site.environment] };
  const options = { edgeUrl, siteKey, parts, seed: SEEDS[site.name] + accepted.length };
  accepted.push(...(await finishGroups(options, groups, Number(SMALL_GROUPS.GROUP_SIZE))));
}

/** Runs the site's trainer until it is killed after `boundary` or has nothing left. */
async function live(site: PlayedSite, boundary: string): Promise<void> {
  const { credential, source: environment, model } = site;
  const state = join(site.folder, "trainer");
  const options = { edgeUrl, credential, state, environment, model, idleSeconds: 6 };
  const life = await liveTrainer(boundary, options);
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
  const { name } = site.environment;
  const isForeign = (row: TrajectoryRow): boolean =>
    foreign.accepted.includes(row.digest) || row.task?.environment !== name;
  const leased = site.lives.flatMap(leasedEnvironments);
  const { received, learned, skipped, rejected } = trajectories;
  expect(new Set(steps.map(({ step }) => step)).size).toBe(steps.length);
  return {
    adapters,
    taskSets: versions.flatMap(({ evaluation }) => evaluation?.taskSet ?? []),
    counts: {
      environment: name,
      kills: site.kills,
      sent: site.accepted.length,
      received,
      learned,
      skipped,
      rejected,
      waiting: trajectories.waiting + trajectories.leased,
      steps: steps.length,
      versions: versions.length - 1,
      groupsLeased: leased.length,
      crossed: rows.filter(isForeign).length + leased.filter((other) => other !== name).length,
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
    const own = await createSiteClient({
      baseUrl: edgeUrl,
      credential: installation.operatorCredential,
    }).create({
      id: "doors",
      settings: { allowedOrigins: ["*"], taskEnvironment: doors.name },
    });
    const model = join(folder, "doors-base");
    const { signal } = new AbortController();
    await environmentBase(doors, model, DOORS_BASE, { onProgress: () => {}, signal });
    sites = await Promise.all([
      playedSite(
        {
          name: "default",
          environment: DEMO.environment,
          source: DEMO_FOLDER,
          model: NANO_MODEL,
          siteKey: installation.siteKey,
          credential: installation.trainerCredential,
        },
        installation.operatorCredential,
      ),
      playedSite(
        {
          name: "doors",
          environment: doors,
          source: join(ROOT, "test", "fixtures", "doors-site.ts#doors"),
          model,
          siteKey: own.site.settings.siteKeys?.[0] ?? "",
          credential: own.trainerCredential,
        },
        own.operatorCredential,
      ),
    ]);
  }, 300_000);

  afterAll(async () => {
    await edge?.stop();
    await Promise.all((sites ?? []).map(({ policy }) => policy.dispose()));
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
      for (const { counts, taskSets } of [a, b]) {
        const { received, learned, skipped, rejected } = counts;
        expect(counts).toMatchObject({ received: counts.sent, waiting: 0, crossed: 0 });
        expect(learned + skipped + rejected).toBe(received);
        expect(learned).toBeGreaterThan(0);
        expect(counts.kills).toBeGreaterThanOrEqual(KILLS);
        expect(counts.versions).toBeGreaterThan(0);
        expect(counts.groupsLeased).toBeGreaterThan(0);
        // The gate evaluated every version on frozen tasks of the site's own environment.
        const own = `${counts.environment}/heldOut/`;
        expect(taskSets.map((name) => name.slice(0, own.length))).toEqual(
          Array.from({ length: counts.versions }, () => own),
        );
      }
      expect(a.counts.environment).not.toBe(b.counts.environment);
      // The sites learned different things from different tasks.
      expect(a.adapters.filter((sha256) => b.adapters.includes(sha256))).toEqual([]);
      const git = ["rev-parse", "HEAD"];
      const report = {
        date: new Date().toISOString(),
        commit: execFileSync("git", git, { cwd: ROOT, encoding: "utf8" }).trim(),
        seed: SEED,
        sites: { default: a.counts, doors: b.counts },
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
