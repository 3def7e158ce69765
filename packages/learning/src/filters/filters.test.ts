/** Filter parts on groups that are written by hand. */
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import type { FilterPart, RewardedGroup } from "../composition/part.ts";
import { contextOf, groupOf } from "../composition/rewarded-trajectories.fixture.ts";
import type { StateName } from "../composition/state.ts";
import * as parts from "../parts.ts";
import { hasSignal } from "./group-filter.ts";

function applied(
  filter: FilterPart<StateName>,
  groups: readonly RewardedGroup[],
  state = {},
): { kept: string[]; dropped: { [id: string]: string }; groups: readonly RewardedGroup[] } {
  const filtered = filter.apply(groups, contextOf({ state }));
  return {
    kept: filtered.groups.flatMap(({ trajectories }) =>
      trajectories.map(({ trajectory }) => trajectory.id),
    ),
    dropped: Object.fromEntries(filtered.dropped),
    groups: filtered.groups,
  };
}

test("mixed-group drops groups with equal rewards, within its tolerance", () => {
  const even = groupOf([{ reward: 0.5 }, { reward: 0.55 }], "even");
  const mixed = groupOf([{ reward: 1 }, { reward: 0 }], "mixed");
  expect(applied(parts.mixedGroup(), [even, mixed]).kept).toHaveLength(4);
  const { kept, dropped } = applied(parts.mixedGroup(0.1), [even, mixed]);
  expect(kept).toEqual(["mixed0", "mixed1"]);
  expect(Object.keys(dropped)).toEqual(["even0", "even1"]);
});

test("success keeps verified rewards from its threshold up, the shortest first", () => {
  const group = groupOf([
    { reward: 1, turns: [{ tokens: 5 }] },
    { reward: 1, turns: [{ tokens: 2 }] },
    { reward: 0.6, success: false },
    { reward: 0 },
  ]);
  expect(applied(parts.success(), [group]).kept).toEqual(["0", "1"]);
  expect(applied(parts.success({ perTask: 1 }), [group]).kept).toEqual(["1"]);
  expect(applied(parts.success({ threshold: 0.5 }), [group]).kept).toEqual(["0", "1", "2"]);
});

test("student-fail keeps teachers' demonstrations of tasks that the student failed", () => {
  const of = (seed: number, solved: boolean): Parameters<typeof groupOf>[0] => [
    { role: "student", reward: solved ? 1 : 0, seed },
    { role: "teacher", reward: 1, seed },
  ];
  const groups = [groupOf(of(1, true), "a"), groupOf(of(2, false), "b")];
  const { kept, dropped } = applied(parts.studentFail(), groups);
  expect(kept).toEqual(["b1"]);
  expect(dropped).toEqual({ a0: "students-own", b0: "students-own", a1: "student-can" });
});

test("step-mask masks failed turns and keeps the trajectory", () => {
  const group = groupOf([{ turns: [{ calls: ["do"], ok: false }, { tokens: 2 }] }]);
  const { groups } = applied(parts.stepMask(), [group]);
  expect(groups[0]?.trajectories[0]?.lossMask).toEqual([[false, false, false, true, true]]);
});

test("entropy-steps keeps the turns with the highest entropy", () => {
  const group = groupOf([
    { turns: [{ entropy: 0.1 }, { entropy: 2 }] },
    { turns: [{ entropy: 1.5 }, { entropy: 0.2 }] },
  ]);
  const { groups } = applied(parts.entropySteps(0.5), [group]);
  expect(groups[0]?.trajectories.map(({ lossMask }) => lossMask[0])).toEqual([
    [false, false, false, true],
    [false, true, false, false],
  ]);
});

test("long-tail gives long trajectories a larger weight, with mean 1", () => {
  const group = groupOf([{ turns: [{}] }, { turns: [{}, {}, {}, {}] }]);
  const { groups } = applied(parts.longTail(0.5), [group]);
  const weights =
    groups[0]?.trajectories.map(({ tokenWeights }) => tokenWeights[0]?.[1] ?? 0) ?? [];
  expectClose(weights, [1 / 1.5, 2 / 1.5]);
});

test("pair-gap pairs the best with the worst of a task beyond the margin", () => {
  const a = groupOf([{ reward: 1 }, { reward: 0.5 }, { reward: 0 }], "a");
  const b = groupOf([{ reward: -1 }, { reward: -1.05 }], "b");
  const filtered = parts.pairGap(0.1).apply([a, b], contextOf());
  expect(filtered.pairs).toEqual([["a0", "a2"]]);
  expect(applied(parts.pairGap(0.1), [a, b]).dropped).toEqual({
    a1: "no-pair",
    b0: "no-pair",
    b1: "no-pair",
  });
});

test("curated stays within its budget and prefers new tags", () => {
  const group = groupOf([
    { reward: 1, turns: [{ calls: ["a"] }] },
    { reward: 0.5, turns: [{ calls: ["a"] }] },
    { reward: 0, turns: [{ calls: ["b"] }] },
  ]);
  expect(applied(parts.curated(2), [group]).kept).toEqual(["0", "2"]);
});

test("curated tasks stay whole, and those with the largest spread of rewards come first", () => {
  const calls = [{ calls: ["a"] }];
  const task = (name: string, rewards: readonly number[]): ReturnType<typeof groupOf> =>
    groupOf(
      rewards.map((reward) => ({ reward, turns: calls })),
      name,
    );
  const groups = [
    task("a", [1, 1]),
    task("b", [0.5, 0.75]),
    task("c", [0, 1]),
    task("d", [0, 0.5]),
  ];
  // Group c has the tool; the remaining budget has room for the group with the largest spread.
  expect(applied(parts.curatedTasks(4), groups).kept).toEqual(["c0", "c1", "d0", "d1"]);
  expect(applied(parts.curatedTasks(5), groups).kept).toEqual(["c0", "c1", "d0", "d1"]);
});

test("clean drops trajectories with a failed call", () => {
  const group = groupOf([
    { turns: [{ calls: ["a"], ok: false }] },
    { turns: [{ calls: ["a"], tokens: 2 }] },
  ]);
  expect(applied(parts.clean(), [group]).kept).toEqual(["1"]);
});

test("verify requires every check, or any of them by option", () => {
  const group = groupOf([{ reward: 1 }, { reward: 0 }]);
  expect(applied(parts.verify(), [group]).kept).toEqual(["0"]);
  expect(applied(parts.verify(undefined, "any"), [group]).kept).toEqual(["0", "1"]);
});

test("band remembers pass rates and draws tasks around even odds", () => {
  const part = parts.passRateBand({ outside: 0 }, ({ seed }) => String(seed));
  let state: object = { "task-stats": parts.taskStats().initial?.() };
  const solved = groupOf(
    [
      { reward: 1, seed: 1 },
      { reward: 1, seed: 1 },
    ],
    "solved",
  );
  const even = groupOf(
    [
      { reward: 1, seed: 2 },
      { reward: 0, seed: 2 },
    ],
    "even",
  );
  for (let step = 0; step < 8; step += 1) {
    state = { ...state, ...part.apply([solved, even], contextOf({ state, step })).state };
  }
  const task = (seed: number) => ({ environment: "e", split: "train" as const, seed });
  const drawn = part.chooseTasks?.([task(1), task(2)], 1, contextOf({ state, step: 8 }));
  expect(drawn).toEqual([task(2)]);
});

test("a group of equal rewards has no signal, and a single rollout always has one", () => {
  expect(hasSignal([1, 1, 1])).toBe(false);
  expect(hasSignal([1, 1 + 1e-7])).toBe(false);
  expect(hasSignal([1, 1, 0.99])).toBe(true);
  expect(hasSignal([1])).toBe(true);
});
