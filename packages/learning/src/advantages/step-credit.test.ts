import { seededRandom } from "@waggle/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { expectClose, expectRowsClose } from "../close.fixture.ts";
import golden from "../golden/advantages.json" with { type: "json" };
import { chunkTargets } from "./chunk-targets.ts";
import { continuationAdvantages, continuationValues } from "./continuation-values.ts";
import { generalizedAdvantages, turnGae } from "./generalized-advantages.ts";
import { groupRelativeAdvantages } from "./group-advantages.ts";
import { clusterAdvantages, clustersOf } from "./like-observations.ts";
import { stateGroupAdvantages } from "./state-groups.ts";
import { calibratedByOutcome, mixedStepAdvantages } from "./step-mix.ts";
import { turnAdvantages } from "./turn-returns.ts";

const { gae } = golden;
const sampled = gae.mask.map(Boolean);
const number = fc.double({ min: -2, max: 2, noNaN: true });

test("GAE skips observations and agrees with the reference values; only truncation bootstraps", () => {
  for (const [bootstrap, expected] of [
    [0, gae.terminated],
    [0.7, gae.truncated],
  ] as const) {
    const { advantages, returns } = generalizedAdvantages(gae.rewards, gae.values, sampled, {
      discount: gae.discount,
      lambda: gae.lambda,
      bootstrap,
    });
    const kept = (row: Float64Array) => [...row].filter((_, t) => sampled[t]);
    expectClose(kept(advantages), expected.advantages);
    expectClose(kept(returns), expected.returns);
    expect([advantages[2], returns[3]]).toEqual([0, 0]);
  }
});

test("multi-turn GAE equals the GAE of the concatenated action tokens", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ value: number, reward: number, given: fc.nat(3) }), { minLength: 1 }),
      (tokens) => {
        const options = { discount: 0.9, lambda: 0.8, bootstrap: 0.3 };
        const whole = tokens.flatMap(({ value, reward, given }) => [
          ...Array.from({ length: given }, () => ({ value: 7, reward: 0, kept: false })),
          { value, reward, kept: true },
        ]);
        const spread = generalizedAdvantages(
          whole.map(({ reward }) => reward),
          whole.map(({ value }) => value),
          whole.map(({ kept }) => kept),
          options,
        ).advantages.filter((_, t) => whole[t]!.kept);
        const joined = turnGae(
          tokens.map(({ reward }) => reward),
          tokens.map(({ value }) => value),
          options,
        ).advantages;
        expectClose(spread, joined);
      },
    ),
  );
});

test("λ = 1 gives the return minus the value, λ = 0 the one-step error", () => {
  const rewards = [0, 1, 0.5];
  const values = [0.2, 0.4, 0.1];
  expectClose(turnGae(rewards, values, { discount: 0.9, lambda: 1 }).advantages, [
    0.9 + 0.405 - 0.2,
    1 + 0.45 - 0.4,
    0.5 - 0.1,
  ]);
  expectClose(turnGae(rewards, values, { discount: 0.9, lambda: 0 }).advantages, [
    0.36 - 0.2,
    1 + 0.09 - 0.4,
    0.4,
  ]);
});

test("a reward on an observation token is refused, because it would be lost", () => {
  expect(() =>
    generalizedAdvantages([0, 1], [0, 0], [true, false], { discount: 1, lambda: 1 }),
  ).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }));
});

test("turn advantages agree with the reference values", () => {
  const { rewards, group, turn } = golden.turns;
  expectRowsClose(turnAdvantages(rewards, { discount: 0.9 }), group);
  expectRowsClose(
    turnAdvantages(rewards, { discount: 0.9, normalizeOver: "turn", scale: "none" }),
    turn,
  );
});

test("an undiscounted outcome on the last turn gives each turn the trajectory's advantage", () => {
  const rows = turnAdvantages(
    [
      [0, 1],
      [0, 0],
    ],
    { scale: "none" },
  );
  expectRowsClose(rows, [
    [0.5, 0.5],
    [-0.5, -0.5],
  ]);
});

const pair = [
  {
    group: "task",
    reward: 1,
    steps: [
      { state: "a", reward: 0 },
      { state: "b", reward: 1 },
    ],
  },
  { group: "task", reward: 0, steps: [{ state: "a", reward: 0 }] },
];

test("GiGPO agrees with the reference values", () => {
  expectRowsClose(stateGroupAdvantages(pair), golden.stateGroups.none);
  const scaled = stateGroupAdvantages(pair, {
    scale: "std",
    convention: "sample",
    stepWeight: 0,
  });
  expectClose([scaled[0]![0]!, scaled[1]![0]!], golden.stateGroups.trajectorySample);
});

test("equal states of different tasks are different groups", () => {
  const twoTasks = ["task", "other"].flatMap((group) =>
    pair.map((trajectory) => ({ ...trajectory, group })),
  );
  const alone = stateGroupAdvantages(pair);
  expectRowsClose(stateGroupAdvantages(twoTasks), [...alone, ...alone]);
  // Control: with one task for all, the other task's steps enter the baseline.
  const shifted = twoTasks.map((trajectory, i) =>
    i < 2
      ? trajectory
      : { ...trajectory, steps: trajectory.steps.map((step) => ({ ...step, reward: 3 })) },
  );
  expectRowsClose(stateGroupAdvantages(shifted).slice(0, 2), alone);
  const merged = shifted.map((trajectory) => ({ ...trajectory, group: "task" }));
  expect(stateGroupAdvantages(merged)[0]).not.toEqual(alone[0]);
});

test("with step weight 0 GiGPO is the plain group advantage; a state that occurs once adds 0", () => {
  expectRowsClose(stateGroupAdvantages(pair, { stepWeight: 0 }), [[0.5, 0.5], [-0.5]]);
  expect(stateGroupAdvantages(pair)[0]![1]).toBe(0.5);
});

test("with step weight 0 or equal step rewards, the mix is GRPO", () => {
  const outcomes = [1, 0, 0.5];
  const trajectory = groupRelativeAdvantages(outcomes, { scale: "std" });
  const steps = [[0.1, 0.9], [0.4], [0.2, 0.2, 0.2]];
  for (const rows of [
    mixedStepAdvantages(outcomes, steps, { stepWeight: 0 }),
    mixedStepAdvantages(
      outcomes,
      steps.map((row) => row.map(() => 0.3)),
    ),
  ]) {
    expectRowsClose(
      rows,
      steps.map((row, i) => row.map(() => trajectory[i]!)),
    );
  }
});

test("the mix adds α times a step's advantage over all steps of the group", () => {
  const rows = mixedStepAdvantages([1, 0], [[1, 0], [0.5]], { stepWeight: 0.5, scale: "none" });
  expectRowsClose(rows, [[0.5 + 0.25, 0.5 - 0.25], [-0.5]]);
});

test("calibrated by the outcome, no step of a failure outranks a step of a success", () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1 }),
      (rewards) => {
        const success = calibratedByOutcome(1, rewards);
        const failure = calibratedByOutcome(0, rewards);
        expect(Math.min(...success)).toBeGreaterThan(Math.max(...failure));
      },
    ),
  );
  expectClose(calibratedByOutcome(1, [0.5, 1, 0], 0.2), [1, 1.2, 0.8]);
});

test("similar observations form one cluster; a lone step keeps its fallback", () => {
  const likeness = (a: string, b: string) => (a[0] === b[0] ? 1 : 0);
  const clusters = clustersOf(["ax", "b", "ay", "az"], likeness, 0.9);
  expect(clusters).toEqual([0, 1, 0, 0]);
  expectClose(clusterAdvantages([1, 5, 0, 0.5], clusters, [9, 7, 9, 9]), [0.5, 7, -0.5, 0]);
  // Control: with a threshold that no pair reaches, every step is alone.
  expect(clustersOf(["ax", "b", "ay"], () => 0.5, 0.9)).toEqual([0, 1, 2]);
});

test("TD targets over chunks agree with the reference values; terminated trajectories do not bootstrap", () => {
  const { rewards, values, terminated, truncated } = golden.chunkTargets;
  const options = { discount: 0.9, chunk: 2 };
  expectClose(chunkTargets(rewards, values, { ...options, terminated: true }), terminated);
  expectClose(chunkTargets(rewards, values, { ...options, terminated: false }), truncated);
});

test("tabular Q fitted to one-step targets converges to the values of a corridor", () => {
  // Four cells, reward 1 for leaving the last: V(s) = 0.9^(3 − s).
  let values = [0, 0, 0, 0, 0];
  for (let sweep = 0; sweep < 10; sweep += 1) {
    const targets = chunkTargets([0, 0, 0, 1], values, {
      discount: 0.9,
      chunk: 1,
      terminated: true,
    });
    values = [...targets, 0];
  }
  expectClose(values.slice(0, 4), [0.729, 0.81, 0.9, 1]);
});

test("continuation values are means, and their advantages sum to outcome − first value", () => {
  const values = continuationValues([[1, 0, 1, 0], [1, 1], [0]]);
  expectClose(values, [0.5, 1, 0]);
  const advantages = continuationAdvantages([0, 0, 1], values);
  expectClose(advantages, [0.5, -1, 1]);
  expect(advantages.reduce((a, b) => a + b, 0)).toBeCloseTo(1 - values[0]!, 12);
  expect(() => continuationValues([[1], []])).toThrow(
    expect.objectContaining({ code: "INVALID_ARGUMENT" }),
  );
});

test("Monte-Carlo values converge to the analytic ones", () => {
  const random = seededRandom(7);
  // A random walk that succeeds with probability 0.3 from here.
  const outcomes = Array.from({ length: 20_000 }, () => (random() < 0.3 ? 1 : 0));
  expect(Math.abs(continuationValues([outcomes])[0]! - 0.3)).toBeLessThan(0.015);
});
