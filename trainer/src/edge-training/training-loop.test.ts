import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { constantRate } from "@waggle/learning";
import { type LeasedGroup, seededRandom, type TensorMap, WaggleError } from "@waggle/protocol";
import { afterEach, expect, test } from "vitest";
import { sampleSize } from "../../../test/fixtures/long.ts";
import {
  type TrainerCheckpoint,
  openTrainerCheckpoints,
} from "../checkpoint/trainer-checkpoint.ts";
import type { EdgeClient } from "../edge/edge-client.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { tinyEngine } from "./training.fixture.ts";
import type { TrainingSummary } from "./training-parts.ts";
import {
  createSetup,
  GROUPS,
  Killed,
  Killer,
  live,
  removeSetups,
  WITH_SIGNAL,
  type Setup,
} from "./training-loop.fixture.ts";

afterEach(removeSetups);

const plain = (tensors: TensorMap): unknown =>
  Object.fromEntries([...tensors].map(([name, { data }]) => [name, Array.from(data)]));

/** Every trajectory has exactly one outcome, and each step was taken once. */
function expectExactCounts(setup: Setup, summary: TrainingSummary): void {
  const digests = GROUPS.flatMap((group) => group.trajectories.map(({ digest }) => digest));
  expect([...setup.edge.acknowledged.keys()].sort()).toEqual([...digests].sort());
  expect([...setup.edge.acknowledged.values()].map((outcomes) => outcomes.length)).toEqual(
    digests.map(() => 1),
  );
  expect(setup.edge.twice).toBe(0);
  expect(summary.state.learned).toEqual({});
  expect(summary.state.acknowledgements).toEqual([]);
  expect([...setup.edge.metrics.keys()]).toEqual(
    Array.from({ length: summary.state.step }, (_, i) => i + 1),
  );
}

test("trains on every group with a signal, acknowledges each trajectory once and publishes", async () => {
  const setup = await createSetup();
  const { summary } = await live(setup);
  expectExactCounts(setup, summary);
  expect(summary.stoppedBy).toBe("idle");
  const outcomes = [...setup.edge.acknowledged.values()].map((all) => all[0]);
  const flat = outcomes.filter((outcome) => outcome?.reason === "no-signal").length / 4;
  const learned = outcomes.filter((outcome) => outcome?.status === "learned").length / 4;
  expect(flat + learned).toBe(GROUPS.length);
  expect(learned).toBeGreaterThan(5);
  expect(summary.state.step).toBe(Math.ceil(learned / 2));
  expect(summary.state.publications).toBe(Math.floor(summary.state.step / 2));
  expect(setup.edge.stable).toBe(summary.state.publications);
  const lines = (await readFile(join(setup.folder, "metrics.jsonl"), "utf8")).trim().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { step: number }).step)).toEqual(
    Array.from({ length: summary.state.step }, (_, i) => i + 1),
  );
});

test("a recipe with a moving baseline trains on every group and keeps the baseline over restarts", async () => {
  const recipe = edgeRecipeNamed("greedy-agents", {
    groupsPerStep: 2,
    learningRate: constantRate(0.02),
    own: { decay: 0.5 },
  });
  const setup = await createSetup();
  const first = await live(setup, { recipe, maxSteps: 2 });
  expect(first.summary.state.step).toBe(2);
  const kept = (await openTrainerCheckpoints(setup.folder).load())?.state.kept;
  expect(kept).toEqual(first.summary.state.kept);
  expect(JSON.stringify(kept?.["baseline"])).toContain("policy");
  const { summary } = await live(setup, { recipe });
  expectExactCounts(setup, summary);
  // Groups with equal rewards have a signal too: they are compared with the moving baseline.
  const outcomes = [...setup.edge.acknowledged.values()].map((all) => all[0]?.status);
  expect(outcomes.every((status) => status === "learned")).toBe(true);
  expect(summary.state.kept).not.toEqual(kept);
});

test("training raises the log-prob of rewarded tokens", async () => {
  const setup = await createSetup();
  const { summary } = await live(setup);
  const engine = await tinyEngine();
  const sequences = GROUPS.flatMap((group) => group.trajectories).map(({ trajectory }) => ({
    tokenIds: trajectory.segments.flatMap(({ tokenIds }) => tokenIds),
    reward: trajectory.segments.at(-1)?.tokenIds.at(-1) === 1 ? 1 : -1,
  }));
  const benefit = async (): Promise<number> => {
    const { logProb } = await engine.forward({ sequences });
    return logProb.reduce(
      (sum, row, b) => sum + (sequences[b]?.reward ?? 0) * row.slice(5).reduce((x, y) => x + y, 0),
      0,
    );
  };
  const before = await benefit();
  const checkpoint = await openTrainerCheckpoints(setup.folder).load();
  await engine.load((checkpoint as TrainerCheckpoint).engine);
  expect(await benefit()).toBeGreaterThan(before + 1);
  expect(summary.state.step).toBeGreaterThan(2);
  await engine.dispose();
});

test("shuffled advantages are the same values on other trajectories", async () => {
  const plainSetup = await createSetup();
  const control = await createSetup();
  const advantages = (setup: Setup): number[] =>
    GROUPS.flatMap((group) => group.trajectories).map(
      ({ digest }) => setup.edge.acknowledged.get(digest)?.[0]?.advantage ?? 0,
    );
  await live(plainSetup);
  await live(control, { shuffleAdvantages: true });
  expect(advantages(control)).not.toEqual(advantages(plainSetup));
  const sorted = (values: number[]): number[] => values.toSorted((a, b) => a - b);
  expect(sorted(advantages(control))).toEqual(sorted(advantages(plainSetup)));
});

test("a trainer killed at any call loses nothing, repeats nothing and ends with the same parameters", async () => {
  const reference = await createSetup();
  const counter = new Killer(0, false);
  const { parameters, summary } = await live(reference, { killer: counter });
  const expected = plain(parameters);
  const points = counter.calls;
  expect(points).toBeGreaterThan(80);
  // Every call of the first two steps and one publication, then every third; `npm test` runs a sample.
  const stride = sampleSize(41, 1);
  for (let at = 1; at <= points; at += at < 100 ? stride : 3 * stride) {
    for (const isAfter of [false, true]) {
      const setup = await createSetup();
      await expect(live(setup, { killer: new Killer(at, isAfter) })).rejects.toThrow(Killed);
      setup.edge.expireLeases();
      const second = await live(setup);
      expectExactCounts(setup, second.summary);
      expect(plain(second.parameters)).toEqual(expected);
      expect(second.summary.state.publications).toBe(summary.state.publications);
      expect(setup.edge.reports).toEqual(reference.edge.reports);
    }
  }
}, 300_000);

test("trajectories of a lease lost after the checkpoint are acknowledged under the next lease, not trained on again", async () => {
  const reference = await createSetup();
  const expected = plain((await live(reference)).parameters);
  const setup = await createSetup();
  let refusals = 0;
  const { summary, parameters } = await live(setup, {
    edgeClient: (client) => ({
      ...client,
      acknowledge: (leaseId, request) => {
        const isLearned = request.outcomes.some(({ step }) => step !== undefined);
        if (isLearned && refusals < 2) {
          refusals += 1;
          setup.edge.expireLeases();
        }
        return client.acknowledge(leaseId, request);
      },
    }),
  });
  expect(refusals).toBe(2);
  expectExactCounts(setup, summary);
  expect(plain(parameters)).toEqual(expected);
});

test("groups that another trainer learned meanwhile are given up once, and the trainer continues", async () => {
  const setup = await createSetup();
  let afterFirst: unknown = null;
  const { summary } = await live(setup, {
    edgeClient: (client) => ({
      ...client,
      acknowledge: async (leaseId, request) => {
        const answer = await client.acknowledge(leaseId, request);
        const isStep = request.outcomes.some(({ status }) => status === "learned");
        return isStep && afterFirst === null ? { ...answer, twice: 1 } : answer;
      },
      postMetrics: async (rows) => {
        await client.postMetrics(rows);
        const saved = await openTrainerCheckpoints(setup.folder).load();
        if (saved !== null) {
          afterFirst ??= [plain(saved.engine.tensors), plain(saved.stable.tensors)];
        }
      },
    }),
  });
  const [trained, stable] = afterFirst as [unknown, unknown];
  expect(trained).toEqual(stable);
  expectExactCounts(setup, summary);
});

test("trajectories that a visitor withdrew during the lease are not trained on", async () => {
  const setup = await createSetup();
  // One trajectory of a group, and all of another group.
  const [first, second] = WITH_SIGNAL as [LeasedGroup, LeasedGroup];
  const forgotten = [first.trajectories[0], ...second.trajectories].map((leased) => leased?.digest);
  const { summary } = await live(setup, {
    edgeClient: (client) => ({
      ...client,
      lease: async (request) => {
        const answer = await client.lease(request);
        for (const digest of forgotten) setup.edge.forgotten.add(digest as string);
        return answer;
      },
    }),
  });
  expectExactCounts(setup, summary);
  for (const digest of forgotten) {
    expect(setup.edge.acknowledged.get(digest as string)).toEqual([
      expect.objectContaining({ status: "skipped", reason: "forgotten" }),
    ]);
  }
});

test("a canary that the operator rolled back is not promoted, and the trainer continues", async () => {
  const setup = await createSetup();
  const { summary } = await live(setup, {
    edgeClient: (client) => ({
      ...client,
      promote: async (version) => {
        if (version > 1) return client.promote(version);
        await client.rollBack(version);
        throw new WaggleError("CONFLICT", "only the canary can be promoted");
      },
    }),
  });
  expect(summary.stoppedBy).toBe("idle");
  expectExactCounts(setup, summary);
  expect(summary.state.publications).toBeGreaterThan(1);
  expect(summary.state.promotions).toBe(summary.state.publications - 1);
  expect(setup.edge.policies[1]?.status).toBe("rolled-back");
  expect(summary.state.versions[1]).toMatchObject({ version: 1, isRolledBack: true });
});

test("the trainer waits for an edge that is temporarily unreachable", async () => {
  const reference = await createSetup();
  const expected = plain((await live(reference)).parameters);
  const setup = await createSetup();
  const random = seededRandom(1, 0);
  let failed = 0;
  const { summary, parameters } = await live(setup, {
    edgeClient: (client) =>
      new Proxy(client, {
        get: (target, name: keyof EdgeClient) => {
          const member = target[name] as (...args: unknown[]) => Promise<unknown>;
          return async (...args: unknown[]) => {
            if (random() > 1 / 3) return member(...args);
            failed += 1;
            throw new WaggleError("NETWORK", "away", { retryable: true });
          };
        },
      }),
  });
  expect(failed).toBeGreaterThan(3);
  expectExactCounts(setup, summary);
  expect(plain(parameters)).toEqual(expected);
});

test("a trainer stopped midway releases its leases, and the next process ends with the same parameters", async () => {
  const reference = await createSetup();
  const expected = plain((await live(reference)).parameters);
  const setup = await createSetup();
  const stop = new AbortController();
  let leases = 0;
  const first = await live(setup, {
    signal: stop.signal,
    edgeClient: (client) => ({
      ...client,
      lease: (request) => {
        leases += 1;
        if (leases === 4) stop.abort();
        return client.lease(request);
      },
    }),
  });
  expect(first.summary.stoppedBy).toBe("signal");
  expect(setup.edge.heldLeases).toBe(0);
  const second = await live(setup);
  expectExactCounts(setup, second.summary);
  expect(plain(second.parameters)).toEqual(expected);
});

test("groups that wait too long for others are trained on without them", async () => {
  const setup = await createSetup(WITH_SIGNAL.slice(0, 3));
  // Three groups, at most two per step: the third would wait forever.
  const learned = async (partialStepMs: number): Promise<number> => {
    const stop = new AbortController();
    const end = setup.edge.now + 100_000;
    const { summary } = await live(setup, {
      partialStepMs,
      idleExitMs: Infinity,
      signal: stop.signal,
      edgeClient: (client) => ({
        ...client,
        lease: (request) => {
          if (setup.edge.now > end) stop.abort();
          return client.lease(request);
        },
      }),
    });
    return summary.state.step;
  };
  const waiting = await learned(Infinity);
  expect(await learned(20_000)).toBe(waiting + 1);
});

test("small falls do not add up: a candidate is also compared with the best version", async () => {
  const setup = await createSetup();
  // Each candidate solves one task fewer than the previous one.
  let candidates = 0;
  const evaluate = async (version: number): Promise<boolean[]> => {
    if (version !== 0) candidates += 1;
    return Array.from({ length: 10 }, (_, i) => i < 8 - (version === 0 ? 0 : candidates));
  };
  await live(setup, {
    evaluate,
    mayPromote: (candidate, earlier) =>
      candidate.filter(Boolean).length >= earlier.filter(Boolean).length - 1,
  });
  const statuses = setup.edge.policies.map(({ status }) => status);
  expect(statuses.length).toBeGreaterThan(2);
  expect(setup.edge.stable).toBe(1);
  expect(statuses.slice(2).every((status) => status === "rolled-back")).toBe(true);
});

test("a candidate that falls is rolled back, and the engine returns to the stable parameters", async () => {
  const setup = await createSetup();
  const engine = await tinyEngine();
  const fresh = plain(await engine.parameters());
  await engine.dispose();
  const { summary, parameters } = await live(setup, { promotes: false, maxSteps: 2 });
  expect(summary.state.publications).toBe(1);
  expect(setup.edge.stable).toBe(0);
  expect(setup.edge.policies.map(({ status }) => status)).toEqual(["stable", "rolled-back"]);
  expect(plain(parameters)).toEqual(fresh);
});
