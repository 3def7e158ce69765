/**
 * Expectations of recipes in which one role uses what another produced: answers, memories, calls.
 */
import { tokenOwners } from "@waggle/learning";
import type { JudgedTrajectory, MemoryBank } from "@waggle/learning";
import { expect } from "vitest";
import {
  at,
  trajectoriesOf,
  type Expectation,
  keepsSuccesses,
  mean,
  numbersOf,
  rewardedOf,
  turnAdvantages,
} from "./recipe-checks.fixture.ts";
import { actsJointly, readsOthers, roleLearns } from "./role-expectations.fixture.ts";

/** Names of the tools that a trajectory called. */
const called = ({ turns }: JudgedTrajectory): string[] =>
  turns.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name));

/** Recipes of the policy-gradient table. */
export const DIVIDED_WORK_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "memory-r1": {
    env: "diary",
    settings: { groupSize: 6 },
    differs: [
      roleLearns(0, "manager", "answerer"),
      (records) => {
        // The manager edits the memory line by line; the answerer never sees a line.
        const all = trajectoriesOf(at(records, -1));
        const of = (role: string): JudgedTrajectory[] =>
          all.filter((trajectory) => trajectory.role === role);
        const operations = new Set(of("manager").flatMap(called));
        expect([...operations].toSorted()).toEqual(["add", "none", "update"]);
        expect(of("answerer").flatMap(called)).toEqual([]);
        expect(of("answerer").length).toBeGreaterThan(0);
        // Each turn has its own context, without earlier samples.
        for (const { samples, turns } of all) {
          expect(turns).toHaveLength(1);
          expect(samples).toHaveLength(1);
        }
      },
      (records) => {
        // The memory manager's reward is the answer's, compared with other rollouts at the same
        // task.
        const record = at(records, -1);
        let moved = 0;
        for (const { trajectories } of numbersOf(record).groups) {
          const ofManager = trajectories.filter(({ trajectory }) => trajectory.role === "manager");
          const rollouts = new Map<string, { advantage: number; success: boolean }>();
          for (const { trajectory } of ofManager) {
            const advantage = turnAdvantages(record, trajectory)[0] ?? 0;
            const name = trajectory.joint ?? "";
            expect(rollouts.get(name)?.advantage ?? advantage).toBe(advantage);
            rollouts.set(name, { advantage, success: trajectory.verification.success });
          }
          const all = [...rollouts.values()];
          expect(all.reduce((sum, { advantage }) => sum + advantage, 0)).toBeCloseTo(0, 6);
          if (new Set(all.map(({ success }) => success)).size < 2) continue;
          for (const { advantage, success } of all) expect(advantage > 0).toBe(success);
          moved += 1;
        }
        expect(moved).toBeGreaterThan(0);
      },
      (records) => {
        // The answerer's critic is fitted to the answer; the manager has none.
        const { result, minibatch } = numbersOf(at(records, -1));
        const fitted = minibatch.trajectories.flatMap(({ trajectory }, row) =>
          result.derivatives.values?.[row]?.some((value) => value !== 0) ? [trajectory.role] : [],
        );
        expect(new Set(fitted)).toEqual(new Set(["answerer"]));
      },
    ],
  },
  spice: {
    differs: [
      (records) => {
        // Only the challenger reads documents.
        const all = trajectoriesOf(at(records, -1));
        const of = (role: string): string[] =>
          all.filter((trajectory) => trajectory.role === role).flatMap(called);
        expect(new Set(of("proposer"))).toEqual(new Set(["search"]));
        expect(new Set(of("solver"))).toEqual(new Set(["calculate"]));
      },
      (records) => {
        // Learned tasks are supported by what the challenger read; some proposed tasks are not.
        const record = at(records, -1);
        const read = new Map(
          trajectoriesOf(record).map(({ id, turns }) => [
            id,
            JSON.stringify(turns.flatMap(({ toolResults }) => toolResults)),
          ]),
        );
        const sumsOf = (
          trajectories: readonly JudgedTrajectory[],
        ): { sum: string[]; text: string }[] =>
          trajectories.flatMap(({ role, joint, verification }) =>
            role === "solver"
              ? [
                  {
                    sum: String(verification.parts["request"]).match(/\d+/g) ?? [],
                    text: read.get(joint ?? "") ?? "",
                  },
                ]
              : [],
          );
        const stands = ({ sum, text }: { sum: string[]; text: string }): boolean =>
          sum.length > 1 && sum.every((number) => new RegExp(`\\b${number}\\b`).test(text));
        const kept = sumsOf(rewardedOf(record).map(({ trajectory }) => trajectory));
        expect(kept.length).toBeGreaterThan(0);
        expect(kept.every(stands)).toBe(true);
        expect(sumsOf(trajectoriesOf(record)).every(stands)).toBe(false);
      },
      (records) => {
        // The challenger's reward is highest if half of the rollouts succeed.
        const rewarded = rewardedOf(at(records, -1));
        let paid = 0;
        for (const { trajectory, reward } of rewarded.filter(
          (one) => one.trajectory.role === "proposer",
        )) {
          const tries = rewarded.filter((one) => one.trajectory.joint === trajectory.id);
          if (tries.length === 0) continue;
          const rate = mean(tries.map((one) => one.trajectory.verification.reward));
          expect(reward.total).toBeCloseTo(4 * rate * (1 - rate), 12);
          paid += reward.total;
        }
        expect(paid).toBeGreaterThan(0);
      },
    ],
  },
};

/** Recipes of the imitation table. */
export const DIVIDED_IMITATION_EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  "dual-tune": {
    env: "library",
    differs: [
      (records) => {
        // Each token has one owner: the selector up to the end of the tool's name, an argument
        // adapter from there on.
        const { result, minibatch } = numbersOf(at(records, 0));
        const before = new Map<string, Set<number>>();
        const writers = new Map<string, Set<string>>();
        for (const [row, { trajectory }] of minibatch.trajectories.entries()) {
          const sample = minibatch.samples[row] ?? 0;
          const owners = tokenOwners(trajectory, sample);
          for (const turn of trajectory.turns.filter((one) => one.sample === sample)) {
            const own = owners.slice(turn.start, turn.end);
            const changes = own.filter((owner, t) => t > 0 && owner !== own[t - 1]);
            const [call] = turn.toolCalls;
            expect(own[0]).toBe("selector");
            expect(changes).toHaveLength(call === undefined ? 0 : 1);
            const derivatives = result.derivatives.logProb?.[row]?.slice(turn.start, turn.end);
            expect(derivatives?.every((value) => value < 0)).toBe(true);
            if (call === undefined) continue;
            const { name } = call;
            writers.set(name, (writers.get(name) ?? new Set()).add(changes[0] ?? ""));
            // The name ends at the same token for every tool call.
            before.set(name, (before.get(name) ?? new Set()).add(own.indexOf(changes[0] ?? "")));
          }
        }
        expect(before.size).toBeGreaterThan(2);
        for (const places of before.values()) expect(places.size).toBe(1);
        for (const ofTool of writers.values()) expect(ofTool.size).toBe(1);
        expect(
          new Set([...writers.values()].flatMap((ofTool) => [...ofTool])).size,
        ).toBeGreaterThan(1);
      },
    ],
  },
  cmat: {
    updates: 2,
    settings: { teams: 2 },
    differs: [
      actsJointly("assistant", "checker"),
      readsOthers,
      keepsSuccesses,
      (records) => {
        // Facts on which both members and the environment agree are remembered and read at the next
        // tasks.
        const record = at(records, 0);
        const [first] = record.earlier;
        if (first === undefined) throw new Error("one update only");
        const { entries } = record.state["memory-bank"] as MemoryBank;
        const confirmed = rewardedOf(first).map(({ trajectory }) => trajectory);
        const calls = confirmed.flatMap(({ turns }) => turns.flatMap(({ toolCalls }) => toolCalls));
        for (const call of calls) {
          const said = JSON.stringify(call.arguments);
          expect(entries.some(({ text }) => text.includes(`${call.name} ${said}`))).toBe(true);
        }
        const readers = trajectoriesOf(record).filter(
          ({ read }) => (read?.ids["memory-bank"] ?? []).length > 0,
        );
        expect(new Set(readers.map(({ role }) => role)).size).toBe(2);
      },
    ],
  },
};
