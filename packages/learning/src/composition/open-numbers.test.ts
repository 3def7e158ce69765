/** Numbers and choices that parts leave at their defaults are settings: each is opened, and changes what the part does. */
import { expect, test } from "vitest";
import * as parts from "../parts.ts";
import { type AnyPart, type OptionValue, partDefinition } from "./part-options.ts";
import { foldingDemos, notedDemos } from "../rollouts/folded.ts";
import { neighborDemos } from "../rollouts/demonstrations.ts";
import { contextOf, groupOf, minibatchOf, rewardedOf } from "./rewarded-trajectories.fixture.ts";

function remade<P extends AnyPart>(part: P, values: { readonly [name: string]: OptionValue }): P {
  const definition = partDefinition(part);
  const isOpen = Object.keys(values).every((name) => definition?.options[name]?.isOpen === true);
  expect(isOpen).toBe(true);
  const all = Object.entries(definition?.options ?? {}).map(([name, { value }]) => [name, value]);
  return definition?.define({ ...Object.fromEntries(all), ...values }, definition.inner) as P;
}

const ROWS = [
  { advantages: [1, 1], ratios: [2, 1] },
  { advantages: [-1, -1], ratios: [0.5, 1] },
];

test("the bound of gmpo and the rule, threshold and penalty of prob-gap", () => {
  const minibatch = minibatchOf(ROWS);
  const loss = (part: ReturnType<typeof parts.probabilityGap>): number =>
    part.compute(minibatch, contextOf()).loss;
  const gmpo = parts.geometricMean();
  expect(loss(remade(gmpo, { logBound: 0.1 }))).not.toBe(loss(gmpo));
  expect(loss(remade(gmpo, { logBound: 0.4 }))).toBe(loss(gmpo));
  const gap = parts.probabilityGap();
  expect(loss(remade(gap, { gapPenalty: 0.5 }))).not.toBe(loss(gap));
  expect(loss(remade(gap, { gapThreshold: 0.2 }))).toBe(loss(gap));
  expect(loss(remade(gap, { gapThreshold: 1 }))).not.toBe(loss(gap));
  expect(loss(remade(gap, { gapRule: "either" }))).toBe(loss(parts.probabilityGap("either")));
});

test("discount, peers and scale of advantages by turn", () => {
  const groups = [
    groupOf([
      { reward: 1, turns: [{ paid: 0.5 }, { paid: 0.5 }] },
      { reward: 0.25, turns: [{ paid: 0 }, { paid: 0.25 }] },
    ]),
  ];
  const credit = (part: ReturnType<typeof parts.turnLevel>): number =>
    part.estimate(groups, contextOf()).advantages.get("0")?.[0]?.[1] ?? Number.NaN;
  const plain = parts.turnLevel();
  for (const values of [{ turnDiscount: 0.5 }, { turnsOver: "turn" }, { turnScale: "none" }]) {
    expect(credit(remade(plain, values))).not.toBeCloseTo(credit(plain), 6);
  }
  // Returns 1, 0.5, 0.25, 0.25: against their mean 0.5.
  expect(credit(remade(plain, { turnScale: "none" }))).toBeCloseTo(0.5, 12);
});

test("mistakes of demonstrations in other forms, and the band of pass rates", () => {
  const shown = remade(parts.formedDemos(["tutorial"]), { mistakes: 0.3 });
  const { options: given } = shown.strategy(contextOf());
  expect(given).toMatchObject({ mistakes: 0.3, forms: ["tutorial"] });
  const { options } = partDefinition(remade(parts.passRateBand(), { bandLow: 0.4 })) ?? {};
  expect(options).toMatchObject({ bandLow: { value: 0.4 }, bandHigh: { value: 0.8 } });
});

test("the cap of tis, and whose ratio it weights by", () => {
  const rows = [{ advantages: [1, 1], drifts: [3, 2] }];
  const loss = (part: ReturnType<typeof parts.truncatedImportance>): number =>
    part.compute(minibatchOf(rows), contextOf()).loss;
  const plain = parts.truncatedImportance(parts.reinforce());
  expect(loss(plain)).toBe(loss(parts.truncatedImportance(parts.reinforce(), 2, "token")));
  // Weights 2, 2; with cap 4: 3, 2; the sequence's ratio is 6.
  expect(loss(remade(plain, { weightCap: 4 })) / loss(plain)).toBeCloseTo(5 / 4, 12);
  expect(loss(remade(plain, { weightRatio: "sequence", weightCap: 8 })) / loss(plain)).toBeCloseTo(
    6 / 2,
    12,
  );
});

test("beta and the partition of tb, beta and draws of vrpo", () => {
  const row = (reward: number, seed: number) => ({
    advantages: [0],
    rewarded: rewardedOf(`${reward}${seed}`, { reward, seed }),
    logProbs: [-1],
    referenceLogProbs: [-1],
  });
  const balanced = minibatchOf([row(1, 1), row(0, 1), row(1, 2), row(1, 2)]);
  const loss = (part: ReturnType<typeof parts.trajectoryBalancing>): number =>
    part.compute(balanced, contextOf()).loss;
  const tb = parts.trajectoryBalancing();
  expect(loss(tb)).toBe(loss(parts.trajectoryBalancing(1, "task")));
  expect(loss(remade(tb, { beta: 0.5 }))).toBeCloseTo(4 * loss(tb), 12);
  expect(loss(remade(tb, { partitionOf: "batch" }))).toBe(
    loss(parts.trajectoryBalancing(1, "batch")),
  );
  const { options } = partDefinition(remade(parts.vrpo(), { beta: 0.5, draws: 2 })) ?? {};
  expect(options).toMatchObject({ beta: { value: 0.5 }, draws: { value: 2 } });
});

test("the number of calls that earn a bonus", () => {
  const { trajectory } = rewardedOf("0", { turns: [{ calls: ["do"] }] });
  const group = { task: "t", trajectories: [trajectory] };
  const earned = (part: ReturnType<typeof parts.callBonus>): unknown => {
    const rewards = part.rewards(group, contextOf()) as readonly { total: number }[];
    return rewards[0]?.total;
  };
  expect(earned(parts.callBonus(1))).toBe(1);
  expect(earned(remade(parts.callBonus(1), { bonusCalls: 4 }))).toBe(0.25);
});

test("discount, chunk and next action of td", () => {
  const turns = [{ state: "first" }, { state: "second" }];
  const groups = [groupOf([{ reward: 1, turns }, { turns }])];
  const values = new Map([
    ["0", [Float64Array.of(0, 0.2, 0, 0.4)]],
    ["1", [Float64Array.of(0, 0.6, 0, 0.8)]],
  ]);
  const target = (part: ReturnType<typeof parts.temporalDifference>): number =>
    part.estimate(groups, { ...contextOf(), values }).returns?.get("0")?.[0]?.[1] ?? Number.NaN;
  const plain = parts.temporalDifference();
  // The value of the next action; discounted; the outcome; the best next action of the group.
  expect(target(plain)).toBeCloseTo(0.4, 12);
  expect(target(remade(plain, { discount: 0.5 }))).toBeCloseTo(0.2, 12);
  expect(target(remade(plain, { chunk: 2 }))).toBe(1);
  expect(target(remade(plain, { nextAction: "best" }))).toBeCloseTo(0.8, 12);
});

test("sizes and rules of branching and searching, and mistakes of demonstrations in each form", () => {
  const given = (part: { strategy: ReturnType<typeof parts.demos>["strategy"] }): unknown =>
    part.strategy(contextOf()).options;
  const vine = parts.branchVine();
  expect(given(vine)).toMatchObject({ size: 8, whole: 2 });
  expect(given(remade(vine, { groupSize: 6, whole: 3 }))).toMatchObject({ size: 6, whole: 3 });
  for (const demos of [neighborDemos(1), foldingDemos(), notedDemos()]) {
    expect(given(demos)).toMatchObject({ mistakes: 0 });
    expect(given(remade(demos, { mistakes: 0.3 }))).toMatchObject({ mistakes: 0.3 });
  }
});

/** Whether each rollout of a part is a branch, for a policy whose entropy rises at its second turn. */
async function branches(part: ReturnType<typeof parts.branchEntropy>): Promise<boolean[]> {
  const strategy = part.strategy(contextOf());
  const turns = [{ segmentId: "a" }, { segmentId: "b" }, { segmentId: "c" }];
  const segments = ["a", "b", "c"].map((id, i) => ({ id, kind: "sampled", entropies: [i] }));
  const driver = {
    seed: 1,
    rollOut: async (_task: unknown, _place: unknown, how?: { from?: unknown }) => ({
      ...rewardedOf("0").trajectory,
      record: { turns, segments },
      isBranch: how !== undefined,
    }),
    byTask: async (roll: (task: unknown, at: number) => unknown) => [await roll("t", 0)],
  };
  const [trajectories = []] = (await strategy.rollOut(driver as never)) as unknown as {
    isBranch: boolean;
  }[][];
  return trajectories.map(({ isBranch }) => isBranch);
}

test("the probability of a branch", async () => {
  const count = async (part: Parameters<typeof branches>[0]): Promise<number> =>
    (await branches(part)).filter(Boolean).length;
  const never = { branchBase: 0, branchSlope: 0 };
  expect(await count(remade(parts.branchEntropy(), never))).toBe(0);
  const always = remade(parts.branchEntropy(), { ...never, branchBase: 1, branchesInARow: 1e9 });
  expect(await count(always)).toBe(4);
  // After every branch, none.
  expect(await count(remade(always, { branchesInARow: 1 }))).toBe(4);
  const steep = { ...never, branchSlope: 1e3, branchesInARow: 1e9 };
  expect(await count(remade(parts.branchEntropy(), steep))).toBe(4);
  const scaled = { ...steep, branchEntropyScale: 1e9 };
  expect(await count(remade(parts.branchEntropy(), scaled))).toBe(0);
  expect(await count(remade(parts.branchVine(), { forkProbability: 0 }) as never)).toBe(0);
  expect(await count(remade(parts.branchVine(), { forkProbability: 1 }) as never)).toBe(4);
});

test("which pairs are made, and which tokens of a fork are trained", () => {
  const group = groupOf([{ reward: 1 }, { reward: 0.5 }, { reward: 0 }]);
  const pairs = (part: ReturnType<typeof parts.pairGap>): number =>
    part.apply([group], contextOf() as never).pairs?.length ?? 0;
  expect(pairs(parts.pairGap())).toBe(1);
  expect(pairs(remade(parts.pairGap(), { pairRule: "all" }))).toBe(3);

  const turns = (id: string) => [{ state: "start" }, { state: `after ${id}` }];
  const forked = groupOf([{ turns: turns("a") }, { turns: turns("b") }]);
  const advantages = new Map([
    ["0", [Float64Array.of(0, 1, 0, 0)]],
    ["1", [Float64Array.of(0, 0, 0, 0)]],
  ]);
  const trained = (part: ReturnType<typeof parts.forks>): unknown =>
    part.apply([forked], { ...contextOf(), advantages } as never).groups[0]?.trajectories[0]
      ?.lossMask;
  expect(trained(parts.forks())).toEqual([[false, true, false, false]]);
  expect(trained(remade(parts.forks(), { forkUnit: "rest" }))).toEqual([
    [false, true, false, true],
  ]);
});

test("rule and exploration of a search, of a choice of prompts and of a choice of cases", () => {
  const changed = { searchRule: "uct", exploration: 2 };
  expect(partDefinition(remade(parts.tree(), changed))?.options).toMatchObject({
    searchRule: { value: "uct" },
    exploration: { value: 2 },
  });
  const population = {
    living: [
      { id: "good", text: "good", parent: null, uses: 100, rewardSum: 60 },
      { id: "rare", text: "rare", parent: null, uses: 4, rewardSum: 1 },
    ],
    archive: [],
  };
  const request = { at: "start", explores: true, random: () => 0.5 } as never;
  const chosen = (part: ReturnType<typeof parts.prompts>): unknown =>
    part.read?.(population, request)?.ids;
  expect(chosen(parts.prompts([""]))).toEqual(["rare"]);
  expect(chosen(remade(parts.prompts([""]), { promptExploration: 0.01 }))).toEqual(["good"]);
  const temperature = (part: ReturnType<typeof parts.cases>): unknown =>
    (part.initial?.() as { policy: { temperature: number } } | undefined)?.policy.temperature;
  expect(temperature(parts.cases())).toBe(0.1);
  expect(temperature(remade(parts.cases(), { caseTemperature: 3 }))).toBe(3);
});

/** The parameter list of a function's source, without comments. */
function parametersOf(source: string): string {
  const start = source.indexOf("(");
  let depth = 0;
  for (let i = start; i < source.length; i += 1) {
    if ("([{".includes(source[i] as string)) depth += 1;
    if (")]}".includes(source[i] as string)) depth -= 1;
    if (depth === 0) return source.slice(start + 1, i);
  }
  return "";
}

const VALUE = String.raw`-?\d[\w.]*|"[^"]*"|true|false|Math\.|Number\.|\{\s*\w|\[\s*\S`;
/** `name = 8`, `{ by = "x" }`, `= { count: 0 }`, but neither `= {}` nor a function. */
const IN_SIGNATURE = new RegExp(String.raw`=\s*(?:${VALUE})`);
/** `size ?? 8`, but not `?? 0` of an absent array element. */
const IN_BODY = /\b[a-z]\w* \?\? (?!0\b)-?\d/;

/**
 * Parts with a default that is no number or choice alone, so it is set in the recipe's file. The page
 * "Write a recipe" names the kinds.
 */
const SET_IN_THE_FILE: { readonly [part: string]: string } = {
  behavior: "a list of behaviors",
  distilledCandidates: "a record: direction and support of the divergence",
  economy: "a record: how the cost is combined, with its own allowance",
  log: "a record: proposals beside stored turns, with their temperature",
  matchOutcome: "the name of a component",
  opponents: "a list of names",
  prompts: "a record: how a prompt is chosen; its number is a setting",
  stateGroups: "a record: options of the estimator",
  withoutOpponents: "a list of names",
  returnConditioned: "a missing return counts as 1",
};

test("no part has a default number or choice that is not a setting", () => {
  const hidden = Object.entries(parts).flatMap(([name, part]) => {
    if (typeof part !== "function") return [];
    const source = part.toString();
    return IN_SIGNATURE.test(parametersOf(source)) || IN_BODY.test(source) ? [name] : [];
  });
  expect(hidden.toSorted()).toEqual(Object.keys(SET_IN_THE_FILE).toSorted());
  // Controls: a number and a choice in a signature, and a number in a body.
  expect(IN_SIGNATURE.test(parametersOf("function f(inner, cap = 2) {}"))).toBe(true);
  expect(IN_SIGNATURE.test(parametersOf('({ of = "token" } = {}) => of'))).toBe(true);
  expect(IN_SIGNATURE.test(parametersOf("function f(options = {}) { let a = 1; }"))).toBe(false);
  expect(IN_BODY.test("function f(size) { return size ?? 8; }")).toBe(true);
});
