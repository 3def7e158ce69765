/** The rollouts that each strategy requests, with their order, starting points and roles. */
import { expect, test } from "vitest";
import type { RolloutPart } from "../composition/part.ts";
import { contextOf } from "../composition/rewarded-trajectories.fixture.ts";
import type { RolloutStrategy } from "../composition/rollout-strategy.ts";
import type { StateName } from "../composition/state.ts";
import * as parts from "../parts.ts";
import { neighborDemos } from "./demonstrations.ts";
import { foldingDemos, rememberedGroup } from "./folded.ts";
import { partialRollouts } from "./partial-rollout.ts";
import { retoldDemos } from "./retold.ts";
import { introspection } from "./retries.ts";
import { type ScriptedDriver, scriptedDriver, threeTurns } from "./scripted-driver.fixture.ts";
import { selfExplored } from "./situations.ts";

const strategyOf = (part: RolloutPart<StateName>, state: object = {}): RolloutStrategy =>
  part.strategy(contextOf({ state }));

/** The requests for the first task, and the ids and roles of its group. */
async function firstTask(strategy: RolloutStrategy, driver: ScriptedDriver = scriptedDriver()) {
  const groups = await strategy.rollOut(driver);
  const asked = driver.asked.filter(([, task]) => task % 100 === 1).map(([, , ...rest]) => rest);
  const [first] = groups;
  return { groups, asked, roles: first?.trajectories.map(({ role }) => role) };
}

/** The changes of every rollout of the first task. */
async function changesOf(strategy: RolloutStrategy, driver?: ScriptedDriver): Promise<unknown[]> {
  return (await firstTask(strategy, driver)).asked.map((rest) => rest.at(-1));
}

test("a plain group is interchangeable, runs in pages and overlaps; others are not", async () => {
  const plain = strategyOf(parts.group(2));
  const driver = scriptedDriver();
  await plain.rollOut(driver);
  expect(driver.asked.filter(([method]) => method === "alike")).toHaveLength(2);
  expect([plain.runsInPages, plain.overlaps, plain.groupSize]).toEqual([true, true, 2]);
  const told = strategyOf(parts.single(2, ["a", "b"]));
  const other = scriptedDriver();
  expect((await changesOf(told, other)).map((one) => (one as { mode: string }).mode)).toEqual([
    "a",
    "b",
  ]);
  expect(other.asked.some(([method]) => method === "alike")).toBe(false);
  expect(told.runsInPages).toBe(false);
});

test("changes of the environment come in turn, and references last", async () => {
  const paired = await firstTask(strategyOf(parts.pairedTools(1)));
  expect(paired.roles).toEqual(["policy", "alone"]);
  expect(paired.asked).toMatchObject([
    ["0/0", { environment: null }],
    ["0/1", { environment: { kind: "toolless" } }],
  ]);
  const simulated = strategyOf(parts.simulatedTools({ size: 1, references: 2 }));
  expect((await firstTask(simulated)).roles).toEqual(["policy", "reference", "reference"]);
  expect(simulated.requires).toBeUndefined();
  expect(strategyOf(parts.searchingGroup(1)).requires).toBe("search");
});

test("demonstrators, sentences and forms take turns, after the policy's own rollouts", async () => {
  const taught = parts.teacherDemos({ students: 1, modes: ["a", "b"] });
  const driver = scriptedDriver();
  const { asked, roles } = await firstTask(strategyOf(taught, { teacher: [0, 0.5, 1] }), driver);
  expect(roles).toEqual(["student", "policy", "policy", "policy"]);
  expect(asked).toMatchObject([
    ["0/0", { role: "student" }],
    [{ mistakes: 0, mode: "a" }],
    [{ mistakes: 0.5, mode: "b" }],
    [{ mistakes: 1, mode: "a" }],
  ]);
  // The second task begins with the next sentence.
  const second = driver.asked.filter(([method, task]) => method === "demonstrate" && task === 2);
  expect(second[0]?.at(-1)).toMatchObject({ mistakes: 0, mode: "b" });
  const formed = strategyOf(parts.formedDemos(["task", "forbidden"], 0.25));
  expect((await firstTask(formed)).roles).toEqual(["policy", "forbidden"]);
  const near = scriptedDriver();
  await strategyOf(neighborDemos(1)).rollOut(near);
  expect(near.asked.map(([, task]) => task)).toEqual([101, 102]);
});

test("demonstrations are retold as one more if there is something to retell", async () => {
  const retelling = { pieces: [], transition: "No." };
  const told = await firstTask(strategyOf(retoldDemos(2, 0, () => retelling)));
  expect(told.roles).toEqual(["policy", "policy", "retold"]);
  expect(told.asked.at(-1)).toEqual([2, retelling]);
  expect((await firstTask(strategyOf(retoldDemos(2, 0, () => null)))).roles).toHaveLength(2);
});

test("branches leave complete trajectories where the rule says, until the group is full", async () => {
  const rule = { base: 1, slope: 0, mostEntropy: 1, mostInARow: 2 };
  const { asked } = await firstTask(strategyOf(parts.branchEntropy(4, 1, rule)));
  expect(asked).toEqual([
    ["0/0", {}],
    ["0/1", { from: ["0/0", 1], branch: { trajectory: "0/0", turn: 1 } }],
    // A second branch in a row has half the probability; complete ones fill the group.
    expect.anything(),
    expect.anything(),
  ]);
  const never = await changesOf(strategyOf(parts.branchEntropy(3, 1, { ...rule, base: 0 })));
  expect(never).toEqual([{}, {}, {}]);
});

const STORED = [
  threeTurns("won", { success: true, seed: 1 }),
  threeTurns("lost", { success: false, seed: 1 }),
  threeTurns("tried", { role: "proposal", success: false, seed: 1 }),
];

test("single turns with calls are tried again", async () => {
  const strategy = strategyOf(parts.pivot(2));
  expect(strategy.startsFromStored).toBe(true);
  const { groups } = await firstTask(strategy, scriptedDriver({ stored: STORED }));
  expect(groups).toHaveLength(2);
  for (const { task, trajectories } of groups) {
    expect(task).toMatch(/^e\/train\/1\/\w+\/[01]$/);
    expect(trajectories).toHaveLength(2);
  }
  const changes = await changesOf(strategy, scriptedDriver({ stored: STORED.slice(0, 1) }));
  for (const one of changes) {
    const { branch, maxTurns, from } = one as {
      readonly branch: { readonly turn: number; readonly original: object };
      readonly maxTurns: number;
      readonly from: readonly [string, number];
    };
    expect(from).toEqual(["won", branch.turn]);
    expect(maxTurns).toBe(branch.turn + 1);
    expect(branch.original).toBe(STORED[0]?.record.turns[branch.turn]);
  }
});

test("stored failures or successes are continued from their first turns", async () => {
  const driver = scriptedDriver({ stored: STORED.slice(0, 2) });
  const failed = await changesOf(strategyOf(parts.prefixReplay("failed", 2)), driver);
  expect(failed.map((one) => (one as { from: [string] }).from[0])).toEqual(["lost", "lost"]);
  const stepped = scriptedDriver({ stored: STORED.slice(0, 2) });
  const { groups, roles, asked } = await firstTask(strategyOf(parts.stepReplay(2)), stepped);
  expect(groups).toHaveLength(1);
  expect(roles?.[0]).toBe("expert");
  const [own, ...after] = asked.map((rest) => (rest.at(-1) as { from: [string, number] }).from);
  const turn = own?.[1] ?? 0;
  // The last turn has nothing after it.
  const expected = turn === 1 ? ["won", "won", "0/0", "0/0"].map((id) => [id, 2]) : [];
  expect([own, ...after]).toEqual([["won", turn], ...expected]);
});

test("stored trajectories are read again, and proposals beside them get no answer", async () => {
  for (const answered of [false, true]) {
    const strategy = strategyOf(parts.log(2, { count: 1, answered }));
    const driver = scriptedDriver({ stored: STORED });
    const { groups, roles } = await firstTask(strategy, driver);
    expect(groups.map(({ task }) => task)).toEqual(["e/train/1"]);
    expect(roles).toEqual(["policy", "policy", "proposal", "proposal"]);
    const changes = driver.asked.filter(([method]) => method === "rollOut").map((one) => one[3]);
    for (const one of changes) {
      const { environment, maxTurns } = one as { environment: unknown; maxTurns: number };
      expect(environment).toEqual(answered ? null : { kind: "silent", after: maxTurns - 1 });
    }
  }
});

test("cut groups go on first, and new ones fill the step", async () => {
  const cut = threeTurns("cut", { stopReason: "max-turns", seed: 1 });
  const whole = threeTurns("whole", { seed: 1 });
  const unfinished = [{ task: "e/train/1", trajectories: [cut, whole] }];
  const strategy = strategyOf(partialRollouts(2, 4, 2), { "rest-buffer": unfinished });
  const { groups, asked } = await firstTask(strategy);
  expect(asked).toEqual([
    ["0/0/3", { maxTurns: 4, from: ["cut", 3] }],
    ["0/0", { maxTurns: 2 }],
    ["0/1", { maxTurns: 2 }],
  ]);
  expect(groups.map(({ trajectories }) => trajectories.map(({ id }) => id))).toEqual([
    ["0/0/3", "whole"],
    ["0/0", "0/1"],
  ]);
});

test("a tree goes on from stored rollouts and from its own", async () => {
  const rule = { kind: "puct", exploration: 0 } as const;
  const won = { id: "old", given: 0, value: 1, actions: ["a", "b", "c"], priors: [1, 1, 1] };
  const continued = strategyOf(parts.tree(2, { width: 1, rule }), {
    "tree-store": { "e/train/1": [won] },
  });
  const driver = scriptedDriver({ stored: [threeTurns("old", { success: true })] });
  const from = ["old", 2];
  const branch = { trajectory: "old", turn: 2 };
  expect((await firstTask(continued, driver)).asked[0]).toEqual(["0/0", { from, branch }]);
  const fresh = strategyOf(parts.tree(2, { width: 1, rule }), { "tree-store": {} });
  const { asked } = await firstTask(
    fresh,
    scriptedDriver({}, () => ({ reward: 1 })),
  );
  expect(asked).toEqual([
    ["0/0", {}],
    ["0/1", { from: ["0/0", 2], branch: { trajectory: "0/0", turn: 2 } }],
  ]);
});

test("retries, takeovers and introspection change every rollout", async () => {
  const environment = { kind: "retry", guidance: "Again." };
  expect(await changesOf(strategyOf(parts.retry("Again.", 2)))).toEqual([
    { environment },
    { environment },
  ]);
  const takeover = { failures: 2, turns: 3 };
  expect(await changesOf(strategyOf(parts.takeover(1, takeover)))).toEqual([{ takeover }]);
  const taught = strategyOf(introspection("No.", 2, 1), { teacher: [0.25] });
  expect(await changesOf(taught)).toEqual([
    { introspection: { guidance: "No.", most: 2, mistakes: 0.25 } },
  ]);
});

test("folded rollouts are by the policy or shown, and held-out ones by the policy", async () => {
  const group = strategyOf(rememberedGroup(2));
  expect((await firstTask(group)).asked).toMatchObject([
    ["0", { records: true }],
    ["0/1", { records: true }],
  ]);
  const shown = strategyOf(foldingDemos(0.5));
  const demonstrated = { mistakes: 0.5, consolidates: true };
  expect(await changesOf(shown)).toMatchObject([{ demonstrated }]);
  const driver = scriptedDriver();
  const [task] = driver.tasks;
  const held = await shown.rollOutHeldOut?.(driver, task as NonNullable<typeof task>, 4);
  expect(driver.asked[0]?.slice(2)).toEqual(["4", {}]);
  expect(held?.record.turns).toHaveLength(6);
  const managed = strategyOf(parts.managedMemory({ manager: "m", answerer: "a" }, 1));
  expect([managed.requires, group.requires]).toEqual(["memory", undefined]);
});

test("situations: two rollouts, both again and a demonstration, with the words of each", async () => {
  const { asked, roles } = await firstTask(
    strategyOf(selfExplored("Think.", { rethink: "Hm.", ask: "Help." })),
  );
  expect(roles).toEqual(["student", "student", "go-on", "rethink", "ask"]);
  expect(asked).toEqual([
    ["0/0", { role: "student" }],
    ["0/1", { role: "student", told: "Think." }],
    [{ role: "go-on", repeats: "0/0" }],
    [{ role: "rethink", repeats: "0/1", says: "Hm." }],
    [{ role: "ask", says: "Help." }],
  ]);
});

test("members of a relay read the answers before them, and members change places", async () => {
  const relay = strategyOf(
    parts.teamOf({ how: "relay", roles: ["a", "b", "c"], size: 1, sentences: { b: "Be b." } }),
  );
  const { groups, asked } = await firstTask(relay, scriptedDriver({ roleShift: 1 }));
  expect(asked).toEqual([
    ["0/0/0", { role: "b", mode: null, readsAs: "a" }],
    ["0/0/1", { role: "c", mode: "Be b.", readsAs: "b", told: "Others said: says 0/0/0" }],
    ["0/0/2", { role: "a", mode: null, readsAs: "c", told: "Others said: says 0/0/0; says 0/0/1" }],
  ]);
  expect(groups[0]?.trajectories.map(({ joint }) => joint)).toEqual(["0/0/0", "0/0/0", "0/0/0"]);
  const apart = strategyOf(parts.selfPlay(1));
  for (const one of await changesOf(apart)) expect(one).not.toHaveProperty("told");
  const together = strategyOf(parts.teamOf({ how: "together", roles: ["a", "b"], size: 2 }));
  expect((await firstTask(together)).asked.map(([place]) => place)).toEqual(["0/0", "0/1"]);
});

test("a team rolls out held-out tasks if all members have adapters and none is deployed", async () => {
  const driver = scriptedDriver();
  const [task] = driver.tasks as [NonNullable<(typeof driver.tasks)[number]>];
  const heldOut = (how: "relay" | "apart", roles: ScriptedDriver["roles"]) =>
    strategyOf(parts.teamOf({ how, roles: ["a", "b"], size: 4 })).rollOutHeldOut?.(
      { ...driver, roles },
      task,
      3,
    ) ?? null;
  const all = { hasAdapter: () => true, deploys: null };
  expect(heldOut("relay", null)).toBeNull();
  expect(heldOut("apart", all)).toBeNull();
  expect(heldOut("relay", { ...all, deploys: "a" })).toBeNull();
  expect(heldOut("relay", { ...all, hasAdapter: (role) => role === "a" })).toBeNull();
  expect((await heldOut("relay", all))?.record.id).toBe("3/0/1");
});

test("a readable proposal is solved, and examples come last", async () => {
  const detailsOf = ([, i]: readonly number[]) => ({ success: i === 0 });
  const solved = strategyOf(parts.readAndSolve(2, 2, 1));
  expect(solved.requires).toBe("documented-proposals");
  const driver = scriptedDriver({}, detailsOf);
  const { groups, roles } = await firstTask(solved, driver);
  expect(roles).toEqual(["proposer", "solver", "solver", "proposer", "shown"]);
  const [proposal, ...tries] = groups[0]?.trajectories ?? [];
  expect(tries.slice(0, 2).map(({ joint }) => joint)).toEqual([proposal?.id, proposal?.id]);
  const form = "documented-proposal";
  const environment = { kind: "searched" };
  const of = (method: string) =>
    driver.asked.filter((one) => one[0] === method && one[1] === 1).map((one) => one.at(-1));
  expect(of("rollOut")).toEqual(Array(2).fill({ role: "proposer", form, environment }));
  // Only the proposer reads documents.
  expect(of("solve")).toEqual(Array(2).fill({ role: "solver" }));
  expect(of("demonstrate")).toEqual([{ form, role: "shown" }]);
  const both = scriptedDriver({}, detailsOf);
  const searching = strategyOf(parts.searchAndSolve(1, 1, 0));
  await searching.rollOut(both);
  expect(both.asked.find(([method]) => method === "solve")?.at(-1)).toEqual({
    role: "solver",
    environment,
  });
  expect(searching.requires).toBe("searched-proposals");
  expect(strategyOf(parts.setAndSolve()).requires).toBe("proposals");
});
