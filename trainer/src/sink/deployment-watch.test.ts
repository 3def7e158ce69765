import type { LeasedGroup, TrajectoryOutcome } from "@waggle/protocol";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { fault } from "../../../test/fixtures/fault.ts";
import { driftAlarm, driftBeyond, raiseAlarm, withWatchedLease } from "./deployment-watch.ts";
import { feedbackVerdict } from "@waggle/learning";
import { givenVerdict } from "../check/edited-answer.ts";
import type { JudgedLease } from "../check/lease-judgment.ts";
import { seededRandom } from "@waggle/protocol";
import { createReporter } from "../metrics/reporter.ts";
import { initialState, type TrainerState } from "../checkpoint/trainer-state.ts";
import { createSetup, live, removeSetups } from "../edge-training/training-loop.fixture.ts";
import { tinyPolicy } from "../rollouts/tiny-policy.fixture.ts";
import { baseScorer } from "../update/base-scorer.ts";

afterAll(removeSetups);

const LIMITS = { success: 0.05, readable: 0.05, falseAlarm: 0.001, drift: 0.2 };
const BASE = initialState({ baseModel: "b".repeat(64), recipe: "test", seed: 1 });

type Version = { readonly version: number; readonly success: number; readonly readable: number };

/** A lease with one group of eight rollouts of two turns each; tasks differ in difficulty. */
function judgedGroup(
  of: Version,
  group: string,
  random: () => number,
  reason?: string,
): JudgedLease {
  const task = of.success + (random() - 0.5) * Math.min(of.success, 1 - of.success);
  const rollouts = Array.from({ length: 8 }, (_, i) => ({
    digest: `${group}-${i}`,
    success: random() < task,
    turns: Array.from({ length: 2 }, () => ({
      parseError: random() < of.readable ? null : "unreadable call",
    })),
  }));
  const trajectories = rollouts.map(({ digest, turns }) => ({
    digest,
    trajectory: { policyVersion: of.version, turns },
  }));
  const groups = [{ groupId: group, trajectories }] as unknown as LeasedGroup[];
  const outcomes = rollouts.map(({ digest, success }): TrajectoryOutcome => ({
    digest,
    status: "learned",
    success,
    ...(reason === undefined ? {} : { reason }),
  }));
  return { lease: { groups }, outcomes } as unknown as JudgedLease;
}

/** Leases of `before`, its replacement by the trainer, then leases of `now` until an alarm. */
function deploy(before: Version, now: Version, seed: number, isOwn = true, reason?: string) {
  const random = seededRandom(seed, 7);
  let state: TrainerState = { ...BASE, stableVersion: before.version };
  for (let i = 0; i < 60; i += 1) {
    state = withWatchedLease(state, judgedGroup(before, `before-${i}`, random), LIMITS);
  }
  state = {
    ...state,
    stableVersion: now.version,
    promotions: state.promotions + (isOwn ? 1 : 0),
  };
  let groups = 0;
  while (groups < 60 && state.alarm === undefined) {
    state = withWatchedLease(state, judgedGroup(now, `now-${groups}`, random, reason), LIMITS);
    groups += 1;
  }
  return { groups, alarm: state.alarm };
}

const GOOD: Version = { version: 1, success: 0.6, readable: 0.98 };

test("an honest version raises no alarm in 100 runs of 60 groups", () => {
  for (let seed = 0; seed < 100; seed += 1) {
    expect(deploy(GOOD, { ...GOOD, version: 2 }, seed).alarm).toBeUndefined();
  }
});

test.each(["page-tool-failed", "quarantined"])(
  "failures that are %s do not roll a version back",
  (reason) => {
    expect(deploy(GOOD, { ...GOOD, version: 2, success: 0 }, 1).alarm).toBeDefined();
    expect(
      deploy(GOOD, { ...GOOD, version: 2, success: 0 }, 1, true, reason).alarm,
    ).toBeUndefined();
  },
);

test("a version whose answers are replaced is rolled back, as one that fails", () => {
  const feedback = { outcomes: [], message: null, isUndone: false, correction: null, staff: null };
  /** Visitors replace this share of a version's answers, and like the others. */
  const run = (replaced: number, countsAs: typeof givenVerdict) => {
    const random = seededRandom(1, 8);
    const watched = (version: number, share: number, i: number): JudgedLease => {
      const judged = judgedGroup({ ...GOOD, version }, `${version}-${i}`, random);
      const outcomes = judged.outcomes.map((outcome) => {
        const edit = random() < share ? "another answer" : null;
        const given = { ...feedback, edit, thumb: "up" as const };
        const { success } = countsAs(feedbackVerdict(given, { thumb: 1, edit: 1 })!);
        return { ...outcome, success };
      });
      return { ...judged, outcomes };
    };
    let state: TrainerState = { ...BASE, stableVersion: 1 };
    for (let i = 0; i < 60; i += 1) state = withWatchedLease(state, watched(1, 0.1, i), LIMITS);
    state = { ...state, stableVersion: 2, promotions: 1 };
    for (let i = 0; i < 60; i += 1) {
      state = withWatchedLease(state, watched(2, replaced, i), LIMITS);
    }
    return state.alarm?.reason;
  };
  expect(run(0.8, givenVerdict)).toMatch(/^live success of version 2 /);
  expect(run(0.1, givenVerdict)).toBeUndefined();
  // The control: taken for successes, the replaced answers look like the best.
  expect(run(0.8, (verdict) => verdict)).toBeUndefined();
});

test("staff who begin to answer after a promotion do not roll the version back, and a fall is seen beside their answers", () => {
  const run = (success: number, answered: number, isKnown = true) => {
    const random = seededRandom(2, 8);
    const watched = (of: Version, share: number, i: number): JudgedLease => {
      const judged = judgedGroup(of, `${of.version}-${i}`, random);
      if (random() >= share) return judged;
      const [group] = judged.lease.groups;
      const trajectories = group!.trajectories.map((one) => ({
        ...one,
        ...(isKnown && { staffAnswer: "another answer" }),
      }));
      const outcomes = judged.outcomes.map((outcome) => ({ ...outcome, success: false }));
      return {
        ...judged,
        lease: { ...judged.lease, groups: [{ ...group!, trajectories }] },
        outcomes,
      };
    };
    let state: TrainerState = { ...BASE, stableVersion: 1 };
    for (let i = 0; i < 60; i += 1) {
      state = withWatchedLease(state, watched(GOOD, 0, i), LIMITS);
    }
    state = { ...state, stableVersion: 2, promotions: 1 };
    for (let i = 0; i < 120; i += 1) {
      const now = { ...GOOD, version: 2, success };
      state = withWatchedLease(state, watched(now, answered, i), LIMITS);
    }
    return state.alarm?.reason;
  };
  expect(run(GOOD.success, 0.8)).toBeUndefined();
  expect(run(0.05, 0.5)).toMatch(/^live success of version 2 /);
  // The control: taken for failures of the version, the answers of staff roll it back.
  expect(run(GOOD.success, 0.8, false)).toMatch(/^live success of version 2 /);
});

const fallen = "the deployed version falls from 60 % to 5 % of visitors' tasks";
fault(fallen, { item: "2.5", before: "it stayed stable: 0 of 20 runs rolled back" }, async () => {
  const runs = Array.from({ length: 20 }, (_, seed) =>
    deploy(GOOD, { ...GOOD, version: 2, success: 0.05 }, seed),
  );
  for (const { alarm } of runs) expect(alarm).toMatchObject({ version: 2 });
  expect(runs[0]?.alarm?.reason).toMatch(/^live success of version 2 is \d.* version 1 had/);
  const slowest = Math.max(...runs.map(({ groups }) => groups));
  expect(slowest).toBeLessThanOrEqual(50);
  return { after: `20 of 20 runs roll it back within ${slowest} groups, 0 of 100 honest ones` };
});

const unreadable = "half of the turns of the deployed version cannot be read";
fault(unreadable, { item: "2.5", before: "nothing looked: 0 of 20 runs rolled back" }, async () => {
  const runs = Array.from({ length: 20 }, (_, seed) =>
    deploy(GOOD, { ...GOOD, version: 2, readable: 0.5 }, seed),
  );
  for (const { alarm } of runs) expect(alarm?.reason).toMatch(/^the share of readable turns/);
  const slowest = Math.max(...runs.map(({ groups }) => groups));
  return { after: `20 of 20 runs roll it back within ${slowest} groups` };
});

test("a version promoted by an operator is not compared with the previous one", () => {
  expect(deploy(GOOD, { ...GOOD, version: 2, success: 0 }, 1, false).alarm).toBeUndefined();
});

test("rejected rollouts and repeated groups do not count", () => {
  const judged = judgedGroup(GOOD, "g", seededRandom(1));
  const state = withWatchedLease({ ...BASE, stableVersion: 1 }, judged, LIMITS);
  expect(state.watch?.groups["1"]).toHaveLength(1);
  expect(withWatchedLease(state, judged, LIMITS).watch?.groups["1"]).toHaveLength(1);
  const outcomes = judged.outcomes.map((outcome) => ({ ...outcome, status: "rejected" as const }));
  const nothing = withWatchedLease({ ...BASE, stableVersion: 1 }, { ...judged, outcomes }, LIMITS);
  expect(nothing.watch?.groups).toEqual({});
});

test("an alarm freezes publishing, rolls the version back, and may be raised again", async () => {
  const { edge } = await createSetup();
  for (const version of [1, 2]) {
    edge.policies.push({
      ...(edge.policies[0] as (typeof edge.policies)[0]),
      version,
      parent: version - 1,
    });
  }
  edge.stable = 2;
  const lines: string[] = [];
  const report = createReporter((line) => lines.push(line), false);
  for (let life = 0; life < 2; life += 1) {
    await raiseAlarm({ edge: edge.client(), report }, { version: 2, reason: "live success fell" });
  }
  expect([edge.stable, edge.policies[2]?.status]).toEqual([1, "rolled-back"]);
  expect(edge.control.frozen).toMatchObject({ by: "trainer", reason: "live success fell" });
  expect(lines[0]).toBe(
    "ALARM: live success fell; version 2 was rolled back and publishing is frozen",
  );
});

test("a drift that is not a number exceeds the limit, an unmeasured one does not", () => {
  const beyond = (stable: number | null, base: number | null = null) =>
    driftBeyond({ stable, base }, { ...LIMITS, baseDrift: 1 });
  expect([beyond(0.2), beyond(null), beyond(0.2, 1)]).toEqual([null, null, null]);
  const stable = { from: "stable version", limit: 0.2 };
  expect(beyond(0.3)).toEqual({ ...stable, nats: 0.3 });
  expect(beyond(Number.NaN)).toEqual({ ...stable, nats: Number.NaN });
  expect(beyond(0.1, 1.1)).toEqual({ from: "base model", limit: 1, nats: 1.1 });
  expect(driftBeyond({ stable: 0.1, base: 99 }, LIMITS)).toBeNull();
  expect(driftAlarm({ from: "base model", nats: 0.3, limit: 0.2 })).toMatchObject({
    version: null,
    reason: expect.stringMatching(
      /^4 steps in a row .* from the base model, .* by 0\.300 nats per token; .* 0\.2$/,
    ),
  });
});

const runaway = "the trained policy runs away from the stable version in one step";
fault(runaway, { item: "2.5", before: "it was published: 1 of 1 versions" }, async () => {
  const setup = await createSetup();
  const { summary, parameters } = await live(setup, { watch: { drift: 1e-9 } });
  expect(setup.edge.control.frozen?.by).toBe("trainer");
  expect([setup.edge.stable, setup.edge.policies.length]).toEqual([0, 1]);
  const { step, promotions } = summary.state;
  expect([step, promotions]).toEqual([0, 0]);
  // The steps left nothing behind.
  const { parameters: untrained } = await live(await createSetup(), { maxSteps: 0 });
  expect(parameters).toEqual(untrained);
  const outcomes = [...setup.edge.acknowledged.values()].flat();
  const undone = outcomes.filter(({ reason }) => reason === "drift-limit").length;
  expect(undone).toBeGreaterThan(0);
  return {
    after: `0 versions published, ${undone} trajectories skipped, frozen by the trainer`,
    twice: setup.edge.twice,
  };
});

test("a step beyond the limit is undone, and what was learned before it is published at once", async () => {
  const free = await createSetup();
  await live(free);
  const drifts = [...free.edge.metrics.values()].map(({ metrics }) => metrics["stableDriftKl"]);
  const [first = Number.NaN, second = Number.NaN] = drifts;
  expect(second).toBeGreaterThan(first);
  const limited = await createSetup();
  const { summary } = await live(limited, { watch: { drift: (first + second) / 2 } });
  expect(free.edge.policies[1]?.step).toBe(2);
  expect(limited.edge.policies[1]?.step).toBe(1);
  expect(limited.edge.control.frozen).toBeNull();
  expect(summary.state.promotions).toBeGreaterThan(1);
  expect(limited.edge.twice).toBe(0);
});

test("steps too far from the base model are undone, and after four in a row publishing stops", async () => {
  const policy = await tinyPolicy();
  onTestFinished(() => policy.dispose());
  const base = baseScorer(policy);
  const setup = await createSetup();
  const { summary } = await live(setup, { base, watch: { baseDrift: 1e-9 } });
  expect(setup.edge.control.frozen?.reason).toMatch(/^4 steps in a row .* from the base model/);
  expect([summary.state.step, setup.edge.policies.length]).toEqual([0, 1]);

  const control = await createSetup();
  await live(control, { base, watch: { baseDrift: 100 } });
  expect(control.edge.policies.length).toBeGreaterThan(1);
  const [first] = control.edge.metrics.values();
  expect(first?.metrics["baseDriftKl"]).toBeGreaterThan(0);
});

const frozen = "an operator freezes promotions before the trainer publishes";
fault(frozen, { item: "7.2", before: "no freeze: every version was promoted" }, async () => {
  const setup = await createSetup();
  setup.edge.control.frozen = { by: "Zoë", at: new Date(0).toISOString(), reason: "sale week" };
  const { summary } = await live(setup);
  expect([setup.edge.stable, setup.edge.policies.length]).toEqual([0, 1]);
  const { step } = summary.state;
  expect(step).toBeGreaterThan(1);
  setup.edge.control.frozen = null;
  return { after: `0 versions published, ${step} steps learned`, twice: setup.edge.twice };
});

const nobody = "neither version solves a frozen task";
const promoted = "`0 of 64, stable 0: promote`, 10 of 10 times";
fault(nobody, { item: "2.5", before: promoted }, async () => {
  const setup = await createSetup();
  const { summary } = await live(setup, { evaluate: async () => Array<boolean>(64).fill(false) });
  const { step, publications, promotions } = summary.state;
  expect([setup.edge.stable, setup.edge.policies.length, promotions]).toEqual([0, 1, 0]);
  expect(publications).toBeGreaterThan(0);
  return {
    after: `no decision ${publications} of ${publications} times, ${step} steps learned`,
    twice: setup.edge.twice,
  };
});

const collapsed = "the candidate has collapsed to 0 of 50 and the stable version solves 1";
fault(collapsed, { item: "2.5", before: "within the margin: it became stable" }, async () => {
  const setup = await createSetup();
  const { summary } = await live(setup, {
    evaluate: async (version) => Array.from({ length: 50 }, (_, i) => version === 0 && i === 0),
  });
  const { publications } = summary.state;
  expect([setup.edge.stable, summary.state.promotions]).toEqual([0, 0]);
  return { after: `0 of ${publications} candidates became stable`, twice: setup.edge.twice };
});
