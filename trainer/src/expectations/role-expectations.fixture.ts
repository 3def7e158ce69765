/** Expectations of recipes with several roles: which roles act, which learn, and their rewards. */
import { expect } from "vitest";
import { tokenOwners } from "@waggle/learning";
import type { JudgedTrajectory, OpponentPool } from "@waggle/learning";
import {
  at,
  type Check,
  trajectoriesOf,
  type Expectation,
  fitsCritic,
  judged,
  keepsSuccesses,
  samplesStale,
  learnsInTurn,
  mean,
  numbersOf,
  remembersTasks,
  rewardedOf,
  single,
  turnAdvantages,
} from "./recipe-checks.fixture.ts";

/**
 * Exactly these roles learn in a stage, and all tokens in the loss belong to a role of the stage.
 */
export function roleLearns(stage: number, ...learners: readonly string[]): Check {
  return (records) => {
    const { stage: trained } = at(records, stage);
    const roles = trained.state["role-adapters"]?.roles;
    expect(trained.trains).toBe("roles");
    expect(roles?.learn).toEqual(learners);
  };
}

/** Turns of one conversation belong to several roles. */
const takesTurns: Check = (records) => {
  const shared = trajectoriesOf(at(records, -1)).filter(
    ({ turns }) => new Set(turns.map(({ role }) => role)).size > 1,
  );
  expect(shared.length).toBeGreaterThan(0);
};

/** Every task's trajectories are joint rollouts of these roles, one trajectory each. */
export function actsJointly(...roles: readonly string[]): Check {
  return (records) => {
    for (const members of jointly(trajectoriesOf(at(records, -1))).values()) {
      expect(members.map(({ role }) => role).toSorted()).toEqual(roles.toSorted());
    }
  };
}

function jointly(trajectories: readonly JudgedTrajectory[]): Map<string, JudgedTrajectory[]> {
  const byName = new Map<string, JudgedTrajectory[]>();
  for (const trajectory of trajectories) {
    const name = trajectory.joint ?? "nobody";
    byName.set(name, [...(byName.get(name) ?? []), trajectory]);
  }
  return byName;
}

/** Members of a joint rollout have equal rewards, and rollouts differ. */
const paysTeam: Check = (records) => {
  const rewarded = rewardedOf(at(records, -1));
  const paid = new Map<string, number[]>();
  for (const { trajectory, reward } of rewarded) {
    expect(trajectory.joint).not.toBeNull();
    const name = trajectory.joint ?? "";
    paid.set(name, [...(paid.get(name) ?? []), reward.total]);
  }
  expect([...paid.values()].every((rewards) => new Set(rewards).size === 1)).toBe(true);
  expect(new Set(rewarded.map(({ reward }) => reward.total)).size).toBeGreaterThan(1);
};

/** Later members read the answers of earlier ones. */
export const readsOthers: Check = (records) => {
  const longer = [...jointly(trajectoriesOf(at(records, -1))).values()].filter((members) => {
    const given = members.map(
      ({ samples, turns }) => samples[turns[0]?.sample ?? 0]?.lossMask.indexOf(true) ?? 0,
    );
    return (given.at(-1) ?? 0) > (given[0] ?? 0);
  });
  expect(longer.length).toBeGreaterThan(0);
};

/** The advantages of every role sum to 0 in every group, and not all are 0. */
const centeredByRole: Check = (records) => {
  const record = at(records, -1);
  let moved = 0;
  for (const { trajectories } of numbersOf(record).groups) {
    const roles = new Set(trajectories.map(({ trajectory }) => trajectory.role));
    expect(roles.size).toBeGreaterThan(1);
    for (const role of roles) {
      const own = trajectories
        .filter(({ trajectory }) => trajectory.role === role)
        .flatMap(({ trajectory }) => turnAdvantages(record, trajectory).slice(0, 1));
      expect(own.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
      moved += own.filter((value) => Math.abs(value) > 1e-3).length;
    }
  }
  expect(moved).toBeGreaterThan(0);
};

/** The rewards of the two sides of a match sum to 0, and some match is won. */
const zeroSum: Check = (records) => {
  const { groups } = numbersOf(at(records, -1));
  const rewarded = groups.flatMap(({ trajectories }) => trajectories);
  const sums = new Map<string, number>();
  for (const { trajectory, reward } of rewarded) {
    const name = trajectory.joint ?? "nobody";
    sums.set(name, (sums.get(name) ?? 0) + reward.total);
  }
  for (const sum of sums.values()) expect(sum).toBeCloseTo(0, 9);
  expect(rewarded.some(({ reward }) => reward.total < 0)).toBe(true);
};

export const ROLE_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "apex-searcher": {
    differs: [
      learnsInTurn("tokens", "rewards"),
      roleLearns(0, "executor"),
      roleLearns(1, "planner"),
      takesTurns,
      judged,
    ],
  },
  "astra-flow": {
    differs: [roleLearns(-1, "first", "second"), actsJointly("first", "second"), samplesStale],
  },
  autocurricula: { differs: [actsJointly("first", "second"), zeroSum, fitsCritic] },
  "co-mas": {
    differs: [actsJointly("proposer", "critic", "reviser"), readsOthers, judged, centeredByRole],
  },
  cory: {
    updates: 2,
    settings: { swapEvery: 24 },
    differs: [
      roleLearns(-1, "pioneer", "observer"),
      readsOthers,
      paysTeam,
      fitsCritic,
      (records) => {
        // The role that answers first at the start reads the other's answer at the end.
        const first = (record: ReturnType<typeof at>): string | undefined =>
          trajectoriesOf(record)[0]?.role;
        const last = at(records, -1);
        expect(last.earlier.length).toBeGreaterThan(0);
        expect(new Set([...last.earlier, last].map(first)).size).toBe(2);
      },
    ],
  },
  "hier-search": {
    differs: [
      learnsInTurn("rewards", "rewards"),
      roleLearns(0, "searcher"),
      roleLearns(1, "planner"),
      takesTurns,
    ],
  },
  magrpo: {
    env: "form",
    differs: [
      roleLearns(-1, "first", "second"),
      actsJointly("first", "second"),
      paysTeam,
      (records) => {
        const record = at(records, -1);
        for (const members of jointly(trajectoriesOf(record)).values()) {
          const own = members.map((trajectory) => turnAdvantages(record, trajectory)[0]);
          expect(new Set(own).size).toBe(1);
        }
      },
    ],
  },
  marft: {
    differs: [roleLearns(-1, "drafter", "checker"), readsOthers, paysTeam, centeredByRole],
  },
  mars: {
    differs: [
      actsJointly("first", "second"),
      zeroSum,
      (records) => {
        // The turns of one role sum to 0, independently of the other's.
        const record = at(records, -1);
        const rewarded = rewardedOf(record).map(({ trajectory }) => trajectory);
        for (const role of ["first", "second"]) {
          const turns = rewarded
            .filter((trajectory) => trajectory.role === role)
            .flatMap((trajectory) => turnAdvantages(record, trajectory));
          expect(turns.reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 5);
          expect(turns.some((value) => Math.abs(value) > 1e-3)).toBe(true);
        }
      },
    ],
  },
  "open-ended-learning": {
    differs: [
      actsJointly("policy", "opponent"),
      remembersTasks,
      (records) => {
        const record = at(records, -1);
        const learned = rewardedOf(record).map(({ trajectory }) => trajectory.role);
        expect(new Set(learned)).toEqual(new Set(["policy"]));
        const [met] = (record.state.opponents as OpponentPool).opponents;
        expect(met).toMatchObject({ version: "checkpoint-1", games: learned.length });
      },
    ],
  },
  "multi-agent-evolve": {
    differs: [
      judged,
      (records) => {
        const rewarded = rewardedOf(at(records, -1));
        const [setters, solvers] = ["proposer", "solver"].map((role) =>
          rewarded.filter(({ trajectory }) => trajectory.role === role),
        );
        expect(solvers?.length).toBeGreaterThan(0);
        for (const { trajectory, reward } of setters ?? []) {
          const tries = (solvers ?? []).filter((other) => other.trajectory.joint === trajectory.id);
          const rate = mean([0, ...tries.map((other) => other.reward.total)]);
          const share = tries.length === 0 ? 0 : (rate * (tries.length + 1)) / tries.length;
          expect(reward.total).toBeCloseTo(4 * share * (1 - share), 9);
        }
        expect((setters ?? []).some(({ reward }) => reward.total > 0)).toBe(true);
      },
      centeredByRole,
    ],
  },
  "search-self-play": {
    env: "library",
    differs: [
      (records) => {
        const record = at(records, -1);
        const all = trajectoriesOf(record);
        const kept = rewardedOf(record).map(({ trajectory }) => trajectory);
        // The proposer of every learned task had read the documents that support its answer.
        const shown = new Map(
          all.filter(({ role }) => role === "proposer").map((one) => [one.id, one.verification]),
        );
        const tries = kept.filter(({ role }) => role === "solver");
        expect(tries.length).toBeGreaterThan(0);
        expect(tries.every(({ joint }) => shown.get(joint ?? "")?.success === true)).toBe(true);
        expect(all.filter(({ role }) => role === "solver").length).toBeGreaterThan(tries.length);
        expect(record.stage.state.corpus).toBeDefined();
      },
      (records) => {
        // Rollouts of one task are only compared with each other.
        const record = at(records, -1);
        const sums = new Map<string, number>();
        for (const { trajectory } of rewardedOf(record)) {
          if (trajectory.role !== "solver") continue;
          const name = trajectory.joint ?? "";
          sums.set(name, (sums.get(name) ?? 0) + (turnAdvantages(record, trajectory)[0] ?? 0));
        }
        expect(sums.size).toBeGreaterThan(1);
        for (const sum of sums.values()) expect(sum).toBeCloseTo(0, 6);
      },
    ],
  },
  sil: {
    differs: [
      learnsInTurn("rewards", "tokens"),
      roleLearns(0, "teacher"),
      single,
      (records) => {
        const student = at(records, 1);
        expect(student.stage.trains).toBe("policy");
        const roles = trajectoriesOf(student).flatMap(({ turns }) => turns.map(({ role }) => role));
        expect(new Set(roles)).toEqual(new Set(["teacher"]));
      },
    ],
  },
};

/** Recipes of the imitation and preference tables: plain imitation must fail the checks. */
export const ROLE_IMITATION_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "adapter-tuning": { differs: [roleLearns(0, "kind-0", "kind-1", "kind-2"), onePerTask] },
  "auto-act": {
    differs: [
      roleLearns(0, "planner", "tool-user", "reflector"),
      keepsSuccesses,
      (records) => {
        for (const { turns } of trajectoriesOf(at(records, 0))) {
          for (const [i, { role }] of turns.entries()) {
            const failed = turns[i - 1]?.toolResults.some(({ ok }) => !ok) === true;
            expect(role).toBe(i === 0 ? "planner" : failed ? "reflector" : "tool-user");
          }
        }
      },
    ],
  },
  l2m: {
    differs: [
      learnsInTurn("tokens", "tokens", "tokens"),
      roleLearns(0, "modulator-0"),
      roleLearns(2, "modulator-2"),
      onePerTask,
    ],
  },
  "midi-tuning": {
    env: "dialogue",
    differs: [
      roleLearns(0, "agent", "user"),
      (records) => {
        // The user's tokens have gradients, as do the agent's.
        const { minibatch, result } = numbersOf(at(records, 0));
        const spoken = minibatch.trajectories.map(({ trajectory }, b) => {
          const owners = tokenOwners(trajectory, minibatch.samples[b] ?? 0, "user");
          const row = result.derivatives.logProb?.[b] ?? new Float64Array();
          return new Set(owners.filter((_, t) => row[t] !== 0));
        });
        expect(spoken.every((who) => who.has("user"))).toBe(true);
        expect(spoken.some((who) => who.size > 1)).toBe(true);
      },
    ],
  },
  "momentum-interpolation": {
    differs: [
      learnsInTurn("tokens", "tokens"),
      (records) => {
        const roles = at(records, 0).stage.state["slow-copy"]?.roles;
        expect(roles?.deploys).toBe("slow");
        expect(roles?.averages?.["slow"]).toBeGreaterThan(0);
      },
    ],
  },
  "multiagent-fine-tuning": {
    differs: [
      roleLearns(0, "generator", "critic", "judge"),
      actsJointly("generator", "critic", "judge"),
      readsOthers,
      keepsSuccesses,
    ],
  },
  "prereq-tune": {
    differs: [
      roleLearns(0, "knowledge"),
      roleLearns(1, "skill"),
      (records) => {
        expect(at(records, 1).stage.state["role-adapters"]?.roles?.copies).toEqual({
          skill: "knowledge",
        });
      },
    ],
  },
  tail: { differs: [roleLearns(0, "task-0", "task-1", "task-2"), onePerTask] },
};

/** Recipes of the preference table. */
export const ROLE_PREFERENCE_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  spin: {
    differs: [
      (records) => {
        const record = at(records, 0);
        const { pairs, trajectories } = numbersOf(record).minibatch;
        expect(pairs.length).toBeGreaterThan(0);
        for (const [chosen, rejected] of pairs) {
          expect(trajectories[chosen]?.trajectory.role).toBe("policy");
          expect(trajectories[rejected]?.trajectory.role).toBe("student");
        }
        expect(JSON.stringify(record.state.opponents)).toMatch(/checkpoint-1/);
      },
    ],
  },
};

/** Each demonstration has a single role, and all three roles occur. */
function onePerTask(records: Parameters<Check>[0]): void {
  const roles = trajectoriesOf(at(records, 0)).map(({ turns }) => turns.map(({ role }) => role));
  expect(roles.every((own) => new Set(own).size === 1)).toBe(true);
  expect(new Set(roles.flat()).size).toBe(3);
}
