import { randomUUID } from "node:crypto";
import { type LeasedGroup, type LeasedTrajectory, trajectoryDigest } from "@waggle/protocol";
import { expect, test } from "vitest";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { judgeLease, type JudgedLease, withoutForgotten, withSignal } from "./lease-judgment.ts";
import { initialState } from "../checkpoint/trainer-state.ts";
import { parityChecker, randomGroups, TINY_BASE } from "../edge-training/training.fixture.ts";
import { PAGE_TOOL_FAILED } from "../evaluation/skipped-outcome.ts";
import type { TrajectoryChecker } from "./trajectory-check.ts";
import { waitingStep } from "./waiting-step.ts";

const recipe = edgeRecipeNamed("dr-grpo-tis");
const state = initialState({ baseModel: TINY_BASE, recipe: recipe.name, seed: 1 });

const rewardOf = ({ trajectory }: LeasedTrajectory): number =>
  trajectory.segments.at(-1)?.tokenIds.at(-1) === 1 ? 1 : 0;

/** A group with two of each outcome, successes first. */
async function mixedGroup(): Promise<LeasedGroup> {
  const [group] = await randomGroups(1, 32);
  const all = group?.trajectories ?? [];
  const solved = all.filter((leased) => rewardOf(leased) === 1).slice(0, 2);
  const failed = all.filter((leased) => rewardOf(leased) === 0).slice(0, 2);
  const trajectories = [...solved, ...failed];
  return { groupId: randomUUID(), task: null, size: 4, trajectories };
}

const COMING = { step: 0, band: 0.1 };

const judge = (
  group: LeasedGroup,
  checker: TrajectoryChecker = parityChecker,
  heldOut: readonly string[] = [],
) =>
  judgeLease(
    { leaseId: randomUUID(), fencingToken: 1, groups: [group] },
    recipe,
    checker,
    { ...state, heldOut },
    COMING,
    async () => {},
  );

const filtered = (judged: JudgedLease): JudgedLease =>
  withSignal(judged, waitingStep(recipe, judged.groups, COMING));

test("a rollout sent twice under different ids counts once", async () => {
  const group = await mixedGroup();
  const [first] = group.trajectories as [LeasedTrajectory];
  const trajectory = { ...first.trajectory, id: randomUUID() };
  const copy = { ...first, trajectory, digest: await trajectoryDigest(trajectory) };
  const judged = await judge({ ...group, trajectories: [...group.trajectories, copy] });
  expect(judged.groups[0]?.trajectories).toHaveLength(4);
  expect(judged.outcomes.filter(({ status }) => status === "rejected")).toEqual([
    { digest: copy.digest, status: "rejected", reason: "replayed" },
  ]);
});

test("a request at which versions are compared is not learned from", async () => {
  const group = await mixedGroup();
  const [held] = group.trajectories as [LeasedTrajectory];
  const judged = await judge(group, parityChecker, [held.digest]);
  expect(judged.groups[0]?.trajectories.map(({ digest }) => digest)).not.toContain(held.digest);
  expect(judged.groups[0]?.trajectories).toHaveLength(3);
  expect(judged.outcomes).toContainEqual({
    digest: held.digest,
    status: "skipped",
    reason: "held-out",
  });
});

test("of a visitor whose records look forged, nothing in the lease is learned", async () => {
  const group = await mixedGroup();
  const [a, b, c, d] = group.trajectories as [
    LeasedTrajectory,
    LeasedTrajectory,
    LeasedTrajectory,
    LeasedTrajectory,
  ];
  const attacker = { visitorId: randomUUID() };
  const trajectories = [{ ...a, ...attacker }, b, { ...c, ...attacker }, d];
  const check = (caught: string | null): TrajectoryChecker => ({
    async check(...given) {
      const { trajectory, outcome } = await parityChecker.check(...given);
      const drawn = { ...outcome, drawMismatches: 0 };
      return outcome.digest === caught
        ? {
            trajectory: null,
            outcome: { ...drawn, status: "rejected", reason: "not-drawn-from-seed" },
          }
        : { trajectory, outcome: drawn };
    },
  });
  const whole = await judge({ ...group, trajectories }, check(null));
  expect(whole.groups[0]?.trajectories).toHaveLength(4);
  const judged = await judge({ ...group, trajectories }, check(c.digest));
  expect(judged.groups[0]?.trajectories.map(({ digest }) => digest).sort()).toEqual(
    [b.digest, d.digest].sort(),
  );
  const reasons = new Map(judged.outcomes.map(({ digest, reason }) => [digest, reason]));
  expect([a, b, c, d].map(({ digest }) => reasons.get(digest))).toEqual([
    "quarantined",
    undefined,
    "not-drawn-from-seed",
    undefined,
  ]);
});

test("forgotten rollouts leave their group, and a group without a signal is left out", async () => {
  const group = await mixedGroup();
  const [a, b, c, d] = group.trajectories.map(({ digest }) => digest) as [
    string,
    string,
    string,
    string,
  ];
  const judged = await judge(group);
  const one = filtered(await withoutForgotten(judged, recipe, new Set([a]), COMING));
  expect(one.groups[0]?.trajectories.map(({ digest }) => digest).sort()).toEqual([b, c, d].sort());
  const both = filtered(await withoutForgotten(one, recipe, new Set([a, b]), COMING));
  expect(both.groups).toEqual([]);
  const reasons = new Map(both.outcomes.map(({ digest, reason }) => [digest, reason]));
  expect([a, b, c, d].map((digest) => reasons.get(digest))).toEqual([
    "forgotten",
    "forgotten",
    "no-signal",
    "no-signal",
  ]);
  expect(both.outcomes.every(({ status }) => status === "skipped")).toBe(true);
});

test("a record of a visitor in quarantine is checked and not learned from", async () => {
  const group = await mixedGroup();
  const trajectories = group.trajectories.map((leased, i) => ({
    ...leased,
    network: `network-${i}`,
    ...(i === 0 ? { reputation: 0 } : i === 1 ? { reputation: 0.7 } : {}),
  }));
  const [held, doubtful] = trajectories.map(({ digest }) => digest);
  const judged = await judge({ ...group, trajectories });
  const outcome = judged.outcomes.find(({ digest }) => digest === held);
  // The reward is that of the check.
  expect(outcome).toMatchObject({ status: "skipped", reason: "quarantined", reward: 1 });
  const learnable = judged.groups[0]?.trajectories ?? [];
  expect(learnable.map(({ digest }) => digest)).not.toContain(held);
  const reputations = new Map(learnable.map(({ digest, reputation }) => [digest, reputation]));
  expect(reputations.get(doubtful ?? "")).toBe(0.7);
  expect(reputations.size).toBe(3);
  expect(learnable.find(({ digest }) => digest === doubtful)?.network).toBe("network-1");
});

test("an environment that disagrees in all rollouts of a lease shows it in 16 outcomes", async () => {
  const [group] = await randomGroups(1, 20);
  const difference = { turn: 1, tool: "t", arguments: "", inPage: "1", inEnvironment: "2" };
  const status = "rejected" as const;
  const { outcomes } = await judge(group as LeasedGroup, {
    check: async ({ digest }) => ({ trajectory: null, outcome: { digest, status, difference } }),
  });
  expect(outcomes.every((outcome) => outcome.status === "rejected")).toBe(true);
  expect(outcomes.filter((outcome) => outcome.difference !== undefined)).toHaveLength(16);
  expect(outcomes.length).toBeGreaterThan(16);
});

test("a claimed failure is counted as one, also if it is not learned from", async () => {
  const [group] = await randomGroups(1, 4);
  const trajectories = (group?.trajectories ?? []).map((leased, i) => ({
    ...leased,
    ...(i === 0 ? { reputation: 0 } : {}),
  }));
  const claimed: TrajectoryChecker = {
    check: async (...leased) => {
      const { trajectory, outcome } = await parityChecker.check(...leased);
      return { trajectory, outcome: { ...outcome, reason: PAGE_TOOL_FAILED } };
    },
  };
  const judged = await judge({ ...(group as LeasedGroup), trajectories }, claimed);
  const reasons = new Map(judged.groups.map(({ trajectories: [one] }) => [one?.digest ?? "", "x"]));
  const { outcomes } = withSignal(judged, { groups: [], reasons });
  const digests = trajectories.map(({ digest }) => digest);
  expect(outcomes.map(({ digest }) => digest).toSorted()).toEqual(digests.toSorted());
  expect(outcomes.every(({ reason }) => reason === PAGE_TOOL_FAILED)).toBe(true);
  expect(outcomes.filter(({ status }) => status === "skipped")).toHaveLength(2);
});
