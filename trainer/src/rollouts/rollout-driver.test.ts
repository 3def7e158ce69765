/**
 * A strategy of one's own: a failed rollout is continued once, from a randomly drawn turn. It runs on the same driver as
 * those of the catalogue.
 */
import { environmentNamed } from "@waggle/environments";
import type { JudgedTrajectory, RolloutStrategy } from "@waggle/learning";
import { FULL_SUPPORT, seededRandom, WaggleError } from "@waggle/protocol";
import { beforeAll, expect, test } from "vitest";
import { type ActedEnvironment, actedEnvironment } from "../expectations/recipe-update.fixture.ts";
import { LostRollouts } from "./lost-rollouts.ts";
import { rolledOut, rolloutDriver } from "./rollout-driver.ts";

const SENTENCE = "Take your time.";

const secondChance: RolloutStrategy = {
  name: "second-chance",
  rollOut: (driver) =>
    driver.byTask(async (task, at) => {
      const first = await driver.rollOut(task, [at, 0], { told: SENTENCE });
      const { record, verification, id } = first;
      if (verification.success || record.turns.length < 2) return [first];
      const random = seededRandom(driver.seed, at);
      const turns = 1 + Math.floor(random() * (record.turns.length - 1));
      const from = { trajectory: record, turns };
      const branch = { trajectory: id, turn: turns };
      const changes = { told: SENTENCE, from, branch, role: "second" };
      return [first, await driver.rollOut(task, [at, 1], changes)];
    }),
};

const { signal } = new AbortController();
let acted: ActedEnvironment;
beforeAll(async () => {
  acted = await actedEnvironment(environmentNamed("calculator"));
});

const tasksOf = (count: number) =>
  Array.from({ length: count }, (_, i) =>
    acted.spec.reference(i * 911, "train", i % acted.spec.levels),
  );
const optionsOf = (seed: number) => ({ sampling: FULL_SUPPORT, seed, staleness: 0 });

test("a recipe's own strategy runs rollouts, branches and adds text", async () => {
  const parts = { ...acted, signal };
  const groups = await rolledOut(secondChance, tasksOf(12), [], parts, optionsOf(3));
  expect(groups).toHaveLength(12);
  const pairs = groups.filter(({ trajectories }) => trajectories.length === 2);
  expect(pairs.length).toBeGreaterThan(0);
  for (const { trajectories } of pairs) {
    const [first, second] = trajectories as [JudgedTrajectory, JudgedTrajectory];
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

test("equal seeds and places draw alike, and others do not", async () => {
  const drawn = async (seed: number, place: readonly number[]): Promise<readonly number[]> => {
    const [task] = tasksOf(1);
    const driver = rolloutDriver([], [], { ...acted, signal }, optionsOf(seed));
    const { record } = await driver.rollOut(task as NonNullable<typeof task>, place);
    return record.segments.flatMap((segment) => segment.tokenIds);
  };
  const first = await drawn(5, [0, 0]);
  expect(await drawn(5, [0, 0])).toEqual(first);
  expect(await drawn(6, [0, 0])).not.toEqual(first);
  expect(await drawn(5, [0, 1])).not.toEqual(first);
});

test("a lost rollout empties its group, or leaves interchangeable ones if two are left", async () => {
  const lost = new LostRollouts();
  const driver = rolloutDriver(tasksOf(2), [], { ...acted, signal, lost }, optionsOf(1));
  const failure = new WaggleError("NETWORK", "the sampler is away", { retryable: true });
  const judged = { id: "made" } as JudgedTrajectory;
  const groups = await driver.byTask(async (_, at) => {
    if (at === 0) throw failure;
    return driver.alike(3, async (i) => {
      if (i === 0) throw failure;
      return judged;
    });
  });
  expect(groups.map(({ trajectories }) => trajectories)).toEqual([[], [judged, judged]]);
  expect(lost.count).toBe(2);
  await expect(driver.alike(2, () => Promise.reject(failure))).rejects.toBe(failure);
});
