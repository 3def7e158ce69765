/**
 * A mechanism that no built-in plan has: a failed rollout is continued once, from a randomly drawn
 * turn.
 */
import { environmentNamed } from "@waggle/environments";
import type { CustomRollout, JudgedTrajectory } from "@waggle/learning";
import { FULL_SUPPORT } from "@waggle/protocol";
import { beforeAll, expect, test } from "vitest";
import { type ActedEnvironment, actedEnvironment } from "../expectations/recipe-update.fixture.ts";
import { collect } from "./registry.ts";

const SENTENCE = "Take your time.";

const secondChance: CustomRollout = {
  rollOutTask: async ({ random, rollOut }) => {
    const first = await rollOut(0, { told: SENTENCE });
    const { record, verification, id } = first;
    if (verification.success || record.turns.length < 2) return [first];
    const turns = 1 + Math.floor(random() * (record.turns.length - 1));
    const from = { trajectory: record, turns };
    const branch = { trajectory: id, turn: turns };
    return [first, await rollOut(1, { told: SENTENCE, from, branch, role: "second" })];
  },
};

let acted: ActedEnvironment;
beforeAll(async () => {
  acted = await actedEnvironment(environmentNamed("calculator"));
});

async function rolledOut(seed: number): Promise<readonly (readonly JudgedTrajectory[])[]> {
  const { signal } = new AbortController();
  const tasks = Array.from({ length: 12 }, (_, i) =>
    acted.spec.reference(i * 911, "train", i % acted.spec.levels),
  );
  const options = { sampling: FULL_SUPPORT, seed, staleness: 0 };
  const plan = { kind: "custom", mechanism: secondChance } as const;
  const groups = await collect(plan, tasks, [], { ...acted, signal }, options);
  expect(groups.map(({ task }) => task)).toHaveLength(tasks.length);
  return groups.map(({ trajectories }) => trajectories);
}

test("a recipe's own mechanism runs rollouts, branches and adds text", async () => {
  const groups = await rolledOut(3);
  const seconds = groups.filter(([, second]) => second !== undefined);
  expect(seconds.length).toBeGreaterThan(0);
  for (const [first, second] of seconds) {
    if (first === undefined || second === undefined) throw new Error("no pair");
    expect(first.verification.success).toBe(false);
    expect(second.role).toBe("second");
    const turn = second.branch?.turn ?? 0;
    expect(second.branch).toEqual({ trajectory: first.id, turn });
    const said = ({ record }: JudgedTrajectory): string =>
      JSON.stringify(record.turns.slice(0, turn).map(({ toolCalls }) => toolCalls));
    expect(said(second)).toBe(said(first));
    const tokenIds = first.record.segments[0]?.tokenIds ?? [];
    expect(acted.format.decodeAssistant(tokenIds)).toContain(SENTENCE);
  }
});

test("a mechanism's draws depend on the step's seed and the task", async () => {
  const { signal } = new AbortController();
  const drawn = async (seed: number): Promise<readonly number[]> => {
    const draws: number[] = [];
    const mechanism: CustomRollout = {
      rollOutTask: async ({ random, rollOut }) => {
        draws.push(random());
        return [await rollOut(0)];
      },
    };
    const tasks = [1, 2].map((task) => acted.spec.reference(task * 911, "train", 0));
    const options = { sampling: FULL_SUPPORT, seed, staleness: 0 };
    await collect({ kind: "custom", mechanism }, tasks, [], { ...acted, signal }, options);
    return draws;
  };
  const first = await drawn(5);
  expect(new Set(first).size).toBe(2);
  expect(await drawn(5)).toEqual(first);
  expect(await drawn(6)).not.toEqual(first);
});
