/**
 * Advantages of trajectories, turns and tokens from each advantage part, worked out by hand for small groups.
 */
import { expect, test } from "vitest";
import { expectClose } from "../close.fixture.ts";
import type { AdvantagePart } from "../composition/part.ts";
import {
  contextOf,
  type GivenTrajectory,
  groupOf,
} from "../composition/rewarded-trajectories.fixture.ts";
import type { StateName } from "../composition/state.ts";
import * as parts from "../parts.ts";

type Extra = Partial<Parameters<AdvantagePart["estimate"]>[1]>;

/** `[trajectories]` the advantages of the sampled tokens; given tokens are left out. */
function credits(
  part: AdvantagePart<StateName>,
  trajectories: readonly GivenTrajectory[],
  extra: Extra = {},
): number[][] {
  const group = groupOf(trajectories);
  const { advantages } = part.estimate([group], { ...contextOf(), ...extra });
  return group.trajectories.map(({ trajectory, lossMask }) =>
    Array.from(advantages.get(trajectory.id)?.[0] ?? []).filter(
      (_, t) => lossMask[0]?.[t] === true,
    ),
  );
}

const EVEN = [{ reward: 1 }, { reward: 0 }, { reward: 0 }, { reward: 1 }];

const rewardsOf = (...rewards: readonly number[]): GivenTrajectory[] =>
  rewards.map((reward) => ({ reward }));

test("group: r − mean, divided by the deviation unless the scale is off", () => {
  const trajectories = rewardsOf(4, 0, 0, 0);
  expectClose(
    credits(parts.groupAdvantage({ scale: "none" }), trajectories).flat(),
    [3, -1, -1, -1],
  );
  const scaled = credits(parts.groupAdvantage({ scale: "std", epsilon: 0 }), trajectories).flat();
  expectClose(
    scaled,
    [3, -1, -1, -1].map((value) => value / Math.sqrt(3)),
  );
});

test("given tokens carry no advantage", () => {
  const group = groupOf([{ reward: 1, turns: [{ tokens: 2 }, {}] }, { reward: 0 }]);
  for (const part of [
    parts.groupAdvantage({ scale: "none" }),
    parts.broadcast({ scale: "none" }),
  ]) {
    const { advantages } = part.estimate([group], contextOf());
    expectClose(advantages.get("0")?.[0] ?? [], [0, 0.5, 0.5, 0, 0.5]);
  }
});

test("tokens that filters masked carry no advantage", () => {
  const { task, trajectories } = groupOf([{ reward: 1, turns: [{ tokens: 2 }] }, { reward: 0 }]);
  const masked = trajectories.map((rewarded, i) =>
    i === 0 ? { ...rewarded, lossMask: [[false, false, true]] } : rewarded,
  );
  const part = parts.broadcast({ scale: "none" });
  const { advantages } = part.estimate([{ task, trajectories: masked }], contextOf());
  expectClose(advantages.get("0")?.[0] ?? [], [0, 0, 0.5]);
});

test("loo: r − mean of the others", () => {
  expectClose(credits(parts.leaveOneOut(), rewardsOf(3, 0, 0)).flat(), [3, -1.5, -1.5]);
});

test("opo: the baseline weights trajectories by their sampled tokens", () => {
  const trajectories = [
    { reward: 1, turns: [{ tokens: 3 }] },
    { reward: 0, turns: [{ tokens: 1 }] },
  ];
  expectClose(
    credits(parts.lengthWeighted(), trajectories).map(([first]) => first ?? 0),
    [0.25, -0.75],
  );
});

test("pass-at-k: what a trajectory adds to the best of k, or only the lead of the best", () => {
  // Pairs that contain it: each adds its lead over the other.
  expectClose(credits(parts.passAtK(2), rewardsOf(2, 1, 0)).flat(), [1.5, 0.5, 0]);
  expectClose(credits(parts.bestOnly(), rewardsOf(2, 1, 0)).flat(), [1, 0, 0]);
});

test("split: cost reduces the advantage, only among correct trajectories and by its weight", () => {
  const trajectories = [
    { reward: 1, components: { outcome: 1, cost: 4 } },
    { reward: 1, components: { outcome: 1, cost: 0 } },
    { reward: 0, components: { outcome: 0, cost: 9 } },
  ];
  expectClose(credits(parts.splitAdvantage(0.5), trajectories).flat(), [
    1 / 3 - 1,
    1 / 3 + 1,
    -2 / 3,
  ]);
});

test("split: components are normalized separately, then weighted", () => {
  const trajectories = [{ components: { a: 100, b: 0 } }, { components: { a: 0, b: 1 } }];
  expectClose(
    credits(parts.splitComponents({ a: 1, b: 3 }), trajectories).flat(),
    [1 - 3, -1 + 3],
    4,
  );
});

test("per-agent: every role has a baseline of its own", () => {
  const trajectories = [
    { reward: 1, role: "solver" },
    { reward: 0, role: "solver" },
    { reward: 10, role: "critic" },
    { reward: 30, role: "critic" },
  ];
  expectClose(
    credits(parts.perAgent({ scale: "none" }), trajectories).flat(),
    [0.5, -0.5, -10, 10],
  );
});

test("set: a set of identical trajectories earns 0", () => {
  const did = (...calls: string[]): GivenTrajectory => ({ reward: 1, turns: [{ calls }] });
  expectClose(credits(parts.setAdvantage(2), [did("a"), did("a"), did("a")]).flat(), [0, 0, 0]);
  // Sets {a,a'}: 0, {a,b}: 1 twice. Mean 2/3.
  expectClose(credits(parts.setAdvantage(2), [did("a"), did("a"), did("b")]).flat(), [
    0.5 - 2 / 3,
    0.5 - 2 / 3,
    1 / 3,
  ]);
});

test("duration: slow turns weigh more, and the mean weight is 1", () => {
  const trajectories = [{ reward: 1, turns: [{}, {}] }, { reward: 0 }];
  const part = parts.durationWeighted((_, turn) => (turn === 0 ? 1 : 3));
  const [first = []] = credits(part, trajectories);
  expect((first[1] ?? 0) / (first[0] ?? 1)).toBeCloseTo(3, 9);
  expect((first[0] ?? 0) + (first[1] ?? 0)).toBeCloseTo(2 * 0.5, 5);
});

test("turn: a turn is credited with the rewards from that turn on", () => {
  const trajectories = [
    { reward: 1, turns: [{ paid: 1 }, { paid: 0 }] },
    { reward: 0, turns: [{}, {}] },
  ];
  // Returns 1, 0 and 0, 0: mean ¼.
  expectClose(
    credits(parts.turnLevel({ scale: "none" }), trajectories).flat(),
    [0.75, -0.25, -0.25, -0.25],
  );
  const std = Math.sqrt(3) / 4;
  expectClose(
    credits(parts.turnLevel(), trajectories).flat(),
    [0.75 / std, -0.25 / std, -0.25 / std, -0.25 / std],
    4,
  );
});

test("a reward that no turn got goes to the last turn", () => {
  const trajectories = [
    { reward: 1, turns: [{ paid: 0.25 }, {}] },
    { reward: 0, turns: [{}, {}] },
  ];
  // Returns 1, ¾ and 0, 0.
  const mean = 1.75 / 4;
  expectClose(credits(parts.turnLevel({ scale: "none" }), trajectories).flat(), [
    1 - mean,
    0.75 - mean,
    -mean,
    -mean,
  ]);
});

test("gigpo: turns that start in the same state are compared with each other", () => {
  const trajectories: GivenTrajectory[] = [
    {
      reward: 1,
      turns: [
        { state: "a", paid: 0 },
        { state: "b", paid: 1 },
      ],
    },
    { reward: 0, turns: [{ state: "a" }, { state: "c" }] },
  ];
  // Trajectory advantage ±½. Returns from "a" with discount 0.5: ½ and 0; "b" and "c" were seen once.
  const part = parts.stateGroups({ scale: "none", discount: 0.5 });
  expectClose(credits(part, trajectories).flat(), [0.5 + 0.25, 0.5, -0.5 - 0.25, -0.5]);
  // Control: without shared states, only the trajectory's advantage is left.
  const apart = trajectories.map(({ turns, ...rest }) => ({
    ...rest,
    turns: (turns ?? []).map(({ paid }) => (paid === undefined ? {} : { paid })),
  }));
  expectClose(credits(part, apart).flat(), [0.5, 0.5, -0.5, -0.5]);
});

test("mix: the trajectory's advantage plus α times the turn's own", () => {
  const trajectories = [
    { reward: 1, turns: [{}, {}], turnRewards: [1, 0] },
    { reward: 0, turns: [{ paid: 0.5 }, {}] },
  ];
  // Turn rewards 1, 0, ½, 0: mean ⅜.
  expectClose(credits(parts.mixedSteps({ scale: "none", stepWeight: 2 }), trajectories).flat(), [
    0.5 + 2 * (1 - 0.375),
    0.5 - 2 * 0.375,
    -0.5 + 2 * 0.125,
    -0.5 - 2 * 0.375,
  ]);
});

test("cluster: turns of similar states are compared; a turn without similar ones gets its trajectory's advantage", () => {
  const trajectories = [
    { reward: 1, turns: [{ state: "1 2 3 4 5", paid: 1 }, { state: "9 9 9 9 9" }] },
    { reward: 0, turns: [{ state: "1 2 3 4 5" }] },
  ];
  expectClose(credits(parts.likeObservations(0.8), trajectories).flat(), [1, 0.5, -1], 5);
  const unlike = [
    { reward: 1, turns: [{ state: "1 2 3 4 5" }] },
    { reward: 0, turns: [{ state: "1 2 7 8 9" }] },
  ];
  expectClose(credits(parts.likeObservations(0.8), unlike).flat(), [0.5, -0.5]);
});

test("branch: a prefix shared by two branches gets the mean of both, the rest its own advantage", () => {
  const trajectories = [
    { reward: 1, turns: [{}, {}] },
    // The fork's first turn belongs to trajectory 0 and is trained there.
    { reward: 0, turns: [{}, {}], branch: { trajectory: "0", turn: 1 } },
  ];
  const [whole = [], fork = []] = credits(parts.branchAttributed({ scale: "none" }), trajectories);
  expectClose(whole, [0, 0.5]);
  expect(fork.at(-1)).toBeCloseTo(-0.5, 12);
});

test("batch: mean 0 and deviation 1 over the loss tokens", () => {
  const group = groupOf([{ reward: 1, turns: [{ tokens: 3 }] }, { reward: 0 }]);
  const part = parts.batchNormalized(parts.groupAdvantage({ scale: "none" }));
  const { advantages } = part.estimate([group], contextOf());
  const counted = [...advantages.values()].flatMap(([row]) => Array.from(row ?? []).slice(1));
  // Three tokens of ½ and one of −½: mean ¼, deviation √3/4.
  const std = Math.sqrt(3) / 4;
  expectClose(counted, [0.25 / std, 0.25 / std, 0.25 / std, -0.75 / std], 5);
  expect([...advantages.values()].map(([row]) => row?.[0])).toEqual([0, 0]);
});

test("entropy-w: tokens of high entropy get larger advantages", () => {
  const trajectories = [
    { reward: 1, turns: [{ entropy: 1 }, { entropy: 3 }] },
    { reward: 0, turns: [{ entropy: 2 }] },
  ];
  const part = parts.entropyWeighted(parts.groupAdvantage({ scale: "none" }), {
    form: "scaled",
    alpha: 0.2,
  });
  // z of 1, 3, 2: −√1.5, √1.5, 0.
  const z = Math.sqrt(1.5);
  expectClose(credits(part, trajectories).flat(), [0.5 * (1 - 0.2 * z), 0.5 * (1 + 0.2 * z), -0.5]);
});

test("gae: a truncated rollout bootstraps from the critic, a terminated one does not", () => {
  const values = new Map([["0", [[0, 0.2]]]]);
  const finalValues = new Map([["0", [0.5]]]);
  const ended = (stopReason: string): number | undefined =>
    credits(parts.gae({ whitened: false }), [{ reward: 0, stopReason }], {
      values,
      finalValues,
    })[0]?.[0];
  expect(ended("completed")).toBeCloseTo(-0.2, 12);
  expect(ended("aborted")).toBeCloseTo(0.3, 12);
});

test("gae: a turn's reward is on its last token, and λ reduces what reaches the first", () => {
  const values = new Map([["0", [[0, 0.5, 0.5]]]]);
  const part = parts.gae({ whitened: false, discount: 1, lambda: 0.5 });
  const [row = []] = credits(part, [{ reward: 1, turns: [{ tokens: 2 }] }], { values });
  // δ: 0 and ½.
  expectClose(row, [0.25, 0.5]);
});

test("rae: the baseline is a moving average of earlier steps by role", () => {
  const state = { baseline: parts.baseline({ decay: 0.5, prior: 0 }).initial?.() };
  const group = groupOf(rewardsOf(1));
  const first = parts.movingBaselineAdvantage().estimate([group], contextOf({ state }));
  const second = parts
    .movingBaselineAdvantage()
    .estimate([group], contextOf({ state: { ...state, ...first.state } }));
  const firstAdvantage = (rows: typeof first): number =>
    rows.advantages.get("0")?.[0]?.[1] ?? Number.NaN;
  expect(firstAdvantage(second)).toBeLessThan(firstAdvantage(first));
  expect(firstAdvantage(second)).toBeGreaterThan(0);
});

test("reinforce++: whitened over the batch, across groups", () => {
  const groups = [groupOf(rewardsOf(1, 1), "a"), groupOf(rewardsOf(0, 0), "b")];
  const { advantages } = parts.reinforcePlusPlus().estimate(groups, contextOf());
  const all = ["a0", "a1", "b0", "b1"].map((id) => advantages.get(id)?.[0]?.[1] ?? Number.NaN);
  expect(all[0]).toBeGreaterThan(0.5);
  expect((all[0] ?? 0) + (all[2] ?? 0)).toBeCloseTo(0, 9);
});

test("recal: a stored win gets its lead over the current baseline of its task", () => {
  const baseline = { values: { a: 0.25 }, prior: 0.9, decay: 0.9 };
  const groups = [groupOf(rewardsOf(1), "a"), groupOf(rewardsOf(1), "b")];
  const { advantages } = parts.recalibrated().estimate(groups, contextOf({ state: { baseline } }));
  expect(advantages.get("a0")?.[0]?.[1]).toBeCloseTo(0.75, 12);
  expect(advantages.get("b0")?.[0]?.[1]).toBeCloseTo(0.1, 12);
});

test("control: equal rewards give equal advantages with every part", () => {
  expectClose(
    credits(parts.groupAdvantage({ scale: "none" }), EVEN).flat(),
    [0.5, -0.5, -0.5, 0.5],
  );
});
