/** Targets and losses of stored transitions, compared with values worked out by hand. */
import { expect, test } from "vitest";
import type { JudgedTrajectory } from "../composition/judged-trajectory.ts";
import type { Minibatch, PartContext, RewardedTrajectory } from "../composition/part.ts";
import { tdBc } from "../losses/value/behavior-constraint.ts";
import { bestProposals } from "../losses/value/best-proposals.ts";
import { temporalDifference } from "./chunk-targets.ts";

const CONTEXT: PartContext = {
  step: 0,
  steps: 1,
  random: () => 0.5,
  state: {},
  ports: {},
  signal: new AbortController().signal,
};

/** One sample of six tokens, two turns of two tokens: [_ a a _ b b]. */
function rewarded(
  id: string,
  reward: number,
  more: Partial<JudgedTrajectory> = {},
): RewardedTrajectory {
  const turn = { toolCalls: [], toolResults: [], parseError: null, reward: null, sample: 0 };
  const trajectory = {
    id,
    role: "policy",
    branch: null,
    record: { terminated: true },
    turns: [
      { ...turn, start: 1, end: 3, state: "first" },
      { ...turn, start: 4, end: 6, state: `second of ${id}` },
    ],
    ...more,
  } as unknown as JudgedTrajectory;
  const lossMask = [[false, true, true, false, true, true]];
  return {
    trajectory,
    lossMask,
    reward: { total: reward },
    tokenWeights: [new Float64Array(6).fill(1)],
  };
}

const proposal = (id: string, of: string, turn: number): RewardedTrajectory =>
  rewarded(id, 0, { role: "proposal", branch: { trajectory: of, turn } });

const a = rewarded("a", 1);

const b = rewarded("b", 0);

const values = new Map([
  ["a", [Float64Array.of(0, 0.1, 0.2, 0, 0.4, 0.5)]],
  ["b", [Float64Array.of(0, 0.1, 0.6, 0, 0.3, 0.2)]],
]);

test("a target is the reward plus the value of the next action; at the end it is the outcome", () => {
  const estimated = temporalDifference({ discount: 0.5, chunk: 1, next: "logged" }).estimate(
    [{ task: "t", trajectories: [a, b, proposal("p", "a", 0)] }],
    { ...CONTEXT, values },
  );
  // Q of a's second action is 0.5, its outcome 1.
  const [target = []] = estimated.returns?.get("a") ?? [];
  expect(Array.from(target)).toEqual([0, 0.25, 0.25, 0, 1, 1]);
  const [advantage] = estimated.advantages.get("a") ?? [];
  expect(advantage?.[2]).toBeCloseTo(0.25 - 0.1, 12);
  expect(advantage?.[5]).toBeCloseTo(1 - 0.4, 12);
  expect(estimated.returns?.has("p")).toBe(false);
});

test("a chunk includes the rewards of all its turns; the best next action is taken among equal states", () => {
  const two = temporalDifference({ discount: 0.5, chunk: 2, next: "logged" }).estimate(
    [{ task: "t", trajectories: [a] }],
    { ...CONTEXT, values },
  );
  expect(two.returns?.get("a")?.[0]?.[1]).toBe(0.5);
  const alike = (id: string): RewardedTrajectory => {
    const one = rewarded(id, 0);
    const turns = one.trajectory.turns.map((turn, i) => ({ ...turn, state: `${i}` }));
    return { ...one, trajectory: { ...one.trajectory, turns } };
  };
  const best = temporalDifference({ discount: 1, chunk: 1, next: "best" }).estimate(
    [{ task: "t", trajectories: [alike("a"), alike("b")] }],
    { ...CONTEXT, values },
  );
  // b's next action has value 0.2, a's in the same state 0.5.
  expect(best.returns?.get("b")?.[0]?.[1]).toBe(0.5);
});

function minibatchOf(
  trajectories: readonly RewardedTrajectory[],
  rows: readonly Float64Array[],
): Minibatch {
  const lossMask = trajectories.map((one) => one.lossMask[0] as boolean[]);
  const zeros = lossMask.map((row) => new Float64Array(row.length));
  const count = lossMask.flat().filter(Boolean).length;
  return {
    lossMask,
    trajectories,
    values: rows,
    returns: zeros,
    advantages: zeros,
    pairs: [],
    policyLogProbs: zeros,
    proximalLogProbs: zeros,
    behaviorLogProbs: zeros,
    shares: lossMask.map((row) => Float64Array.from(row, (on) => (on ? 1 / count : 0))),
    weights: zeros.map((row) => row.map(() => 1)),
    tokenCount: count,
    samples: trajectories.map(() => 0),
  };
}

test("the penalty lowers values of proposals and raises those of logged actions; calibration stops it", () => {
  const rows = [Float64Array.of(0, 0, 0.3, 0, 0, 0.2), Float64Array.of(0, 0, 0, 0, 0, 0.9)];
  const pressed = (isCalibrated: boolean, reward: number): Float64Array[] => {
    const batch = minibatchOf([rewarded("a", reward), proposal("p", "a", 0)], rows);
    const off = tdBc({ strength: 0, criticWeight: 0 }).compute(batch, CONTEXT);
    const on = tdBc({
      strength: 0,
      criticWeight: 0,
      conservative: { coefficient: 1, isCalibrated },
    }).compute(batch, CONTEXT);
    return (on.derivatives.values ?? []).map((row, r) =>
      row.map((value, t) => value - (off.derivatives.values?.[r]?.[t] ?? 0)),
    );
  };
  const share = Math.exp(0.9) / (Math.exp(0.9) + Math.exp(0.3));
  const [taken, other] = pressed(false, 1);
  expect(other?.[5]).toBeCloseTo(share, 12);
  expect(taken?.[2]).toBeCloseTo(-share, 12);
  // The logged action earned 1, so a proposal valued at 0.9 is no overestimate.
  expect(pressed(true, 1)[1]?.[5]).toBe(0);
  expect(pressed(true, 0.5)[1]?.[5]).toBeGreaterThan(0);
});

test("only the proposal with the highest value in a state is imitated", () => {
  const rows = [0.1, 0.7, 0.4, 0.2].map((value) => new Float64Array(6).fill(value));
  const trajectories = [
    rewarded("a", 1),
    proposal("p", "a", 0),
    proposal("q", "a", 0),
    proposal("r", "a", 1),
  ];
  const { derivatives } = bestProposals().compute(minibatchOf(trajectories, rows), CONTEXT);
  const learned = derivatives.logProb?.map((row) => row.some((value) => value !== 0));
  expect(learned).toEqual([false, true, false, true]);
});

test("actions better than expected are imitated more, worse ones less and never pushed down", () => {
  const rows = [new Float64Array(6), new Float64Array(6)];
  const batch = minibatchOf([rewarded("a", 1), rewarded("b", 0)], rows);
  const advantages = [
    Float64Array.of(0, 0.5, 0.5, 0, 0.5, 0.5),
    Float64Array.of(0, -0.1, -0.1, 0, -0.9, -0.9),
  ];
  const { derivatives } = tdBc({ strength: 2 }).compute({ ...batch, advantages }, CONTEXT);
  // Mean |A| is 0.5: weights are max(0, 1 + 2·A / 0.5); each token has a share of one eighth.
  const weights = derivatives.logProb?.map((row) => Array.from(row, (slope) => -8 * slope));
  for (const [b, expected] of [
    [0, 3, 3, 0, 3, 3],
    [0, 0.6, 0.6, 0, 0, 0],
  ].entries()) {
    for (const [t, weight] of expected.entries()) expect(weights?.[b]?.[t]).toBeCloseTo(weight, 9);
  }
});
