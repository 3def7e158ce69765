/** Rewards and advantages of team members, sides of matches, proposers and solvers. */
import { mulberry32 } from "@waggle/protocol";
import { expect, test } from "vitest";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import { rewardedTrajectory } from "../composition/minibatch.ts";
import type { PartContext, Reward } from "../composition/part.ts";
import * as parts from "../parts.ts";
import { roleSwap } from "../schedules/role-swap.ts";
import { addOpponent, opponentPool, type OpponentPool } from "../states/opponent-pool.ts";

const context: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

type Given = Partial<Pick<JudgedTrajectory, "id" | "role" | "joint" | "opponent">> & {
  readonly reward?: number;
  readonly success?: boolean;
  readonly calls?: number;
};

/** A trajectory of one token and one turn. */
function trajectory({
  reward = 0,
  success = reward > 0,
  calls = 0,
  ...given
}: Given): JudgedTrajectory {
  const toolCalls = Array.from({ length: calls }, () => ({}));
  return {
    id: "",
    role: "policy",
    joint: null,
    ...given,
    samples: [{ lossMask: [true] }],
    turns: [{ sample: 0, start: 0, end: 1, toolCalls, toolResults: [], reward: null }],
    verification: { reward, success, parts: {} },
  } as unknown as JudgedTrajectory;
}

const paid = async (
  reward: { rewards: (group: never, context: PartContext) => unknown },
  trajectories: readonly JudgedTrajectory[],
): Promise<number[]> =>
  ((await reward.rewards({ task: "t", trajectories } as never, context)) as Reward[]).map(
    ({ total }) => total,
  );

const two = [
  trajectory({ id: "a1", role: "one", joint: "a", reward: 1, calls: 1 }),
  trajectory({ id: "a2", role: "two", joint: "a", reward: 0, calls: 3 }),
  trajectory({ id: "b1", role: "one", joint: "b", reward: 0, calls: 1 }),
  trajectory({ id: "b2", role: "two", joint: "b", reward: 0, calls: 2 }),
];

test("a team's reward is that of its joint rollout", async () => {
  expect(await paid(parts.team("mean"), two)).toEqual([0.5, 0.5, 0, 0]);
  expect(await paid(parts.team("sum"), two)).toEqual([1, 1, 0, 0]);
});

test("one side's gain is the other's loss; with equal results, fewer calls win", async () => {
  const [a1 = 0, a2, b1 = 0, b2] = await paid(parts.matchOutcome(0.1), two);
  expect(a1).toBeCloseTo(1.2, 12);
  expect(a2).toBeCloseTo(-a1, 12);
  expect(b1).toBeCloseTo(0.1, 12);
  expect(b2).toBeCloseTo(-b1, 12);
});

test("a joint advantage is shared by all members and centered over joint rollouts", () => {
  const rewarded = two.map((one, i) => rewardedTrajectory(one, { total: [2, 4, 0, 0][i] ?? 0 }));
  const { advantages } = parts
    .jointAdvantage({ scale: "none" })
    .estimate([{ task: "t", trajectories: rewarded }], context);
  // Joint rewards 3 and 0: by hand 1.5 and −1.5.
  expect(two.map(({ id }) => advantages.get(id)?.[0]?.[0])).toEqual([1.5, 1.5, -1.5, -1.5]);
});

const set = [
  trajectory({ id: "p", role: "proposer", success: true }),
  ...[1, 0, 1, 0].map((reward, i) =>
    trajectory({ id: `p${i}`, role: "solver", joint: "p", reward }),
  ),
  trajectory({ id: "q", role: "proposer", success: true }),
  ...[1, 1].map((reward, i) => trajectory({ id: `q${i}`, role: "solver", joint: "q", reward })),
  trajectory({ id: "r", role: "proposer", success: false }),
  ...[1, 0].map((reward, i) => trajectory({ id: `r${i}`, role: "solver", joint: "r", reward })),
  trajectory({ id: "s", role: "shown", success: true }),
];

test("a proposer's reward is highest at half successes, and 0 for an unreadable task", async () => {
  const rewards = await paid(parts.frontier(parts.outcome()), set);
  const of = (id: string): number => rewards[set.findIndex((one) => one.id === id)] ?? Number.NaN;
  expect(["p", "q", "r", "s"].map(of)).toEqual([1, 0, 0, 0]);
  expect([of("p0"), of("p1")]).toEqual([1, 0]);
});

test("rollouts at unreadable tasks are dropped; the others are compared within their task", () => {
  const rewarded = set.map((one) => rewardedTrajectory(one, { total: one.verification.reward }));
  const group = { task: "t", trajectories: rewarded };
  const { groups } = parts.answerableProposals().apply([group], context);
  const kept = groups.flatMap(({ trajectories }) =>
    trajectories.map(({ trajectory: { id } }) => id),
  );
  expect(kept).toEqual(["p", "p0", "p1", "p2", "p3", "q", "q0", "q1", "r", "s"]);
  const { advantages } = parts.amongTries({ scale: "none" }).estimate(groups, context);
  const of = (id: string): number | undefined => advantages.get(id)?.[0]?.[0];
  expect([of("p0"), of("p1"), of("q0"), of("s")]).toEqual([0.5, -0.5, 0, 0]);
});

test("members move to the next role after each period", () => {
  const { at } = roleSwap(3);
  const shifts = [0, 2, 3, 7].map((step) => at({} as never, { ...context, step }).roleShift);
  expect(shifts).toEqual([0, 0, 1, 2]);
});

test("matches with past checkpoints are counted, and stronger ones are met more often", () => {
  const pool = ["old", "new"].reduce(addOpponent, opponentPool(4));
  // The policy wins each match with the old one, loses to the new one, and draws one.
  const played = Array.from({ length: 6 }, (_, i) => {
    const [opponent, joint] = [i % 2 === 0 ? "old" : "new", `match ${i}`];
    const reward = i === 5 ? 0 : opponent === "old" ? 0.4 : -0.4;
    const sides = { policy: reward, opponent: -reward };
    return Object.entries(sides).map(([role, own]) =>
      rewardedTrajectory(trajectory({ id: `${role}/${i}`, role, joint, opponent }), {
        total: own,
      }),
    );
  });
  const filter = parts.withoutOpponents();
  const kept = filter.apply([{ task: "t", trajectories: played.flat() }], {
    ...context,
    state: { opponents: pool },
  });
  expect(kept.groups[0]?.trajectories).toHaveLength(6);
  const opponents = kept.state?.opponents as OpponentPool;
  expect(opponents.opponents).toEqual([
    { version: "old", games: 3, wins: 3 },
    { version: "new", games: 3, wins: 0.5 },
  ]);
  const random = mulberry32(1);
  const met = (state: OpponentPool): number =>
    Array.from({ length: 400 }, () =>
      parts.selfPlayAgainstPast().strategy({ ...context, random, state: { opponents: state } }),
    ).filter(({ name, opponent }) => name === "team" && opponent === "new").length;
  // (1 − 1.5/5)² against (1 − 4/5)²: 0.92; nothing is known of either at first.
  expect(met(opponents)).toBeGreaterThan(340);
  expect(met(pool)).toBeLessThan(240);
});
