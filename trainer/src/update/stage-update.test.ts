/** One update of a stage on a table engine; every expected number is worked out by hand. */
import {
  type FilterPart,
  initialValues,
  type LossPart,
  type PartContext,
  rewardStage,
  type Stage,
  tokenStage,
  writingStage,
} from "@waggle/learning";
import * as parts from "@waggle/learning/parts";
import { expect, test } from "vitest";
import { partContext } from "../recipes/part-context.ts";
import { type StageUpdate, updateStage } from "./stage-update.ts";
import { groupOf, type TableEngine, tableEngine } from "../expectations/table-engine.fixture.ts";

/** Token 1 succeeds and token 2 fails: advantages ½ and −½, each with half of the loss. */
const GROUP = groupOf(
  { id: "a", tokens: [0, 1], reward: 1 },
  { id: "b", tokens: [0, 2], reward: 0 },
);
const PLAIN = {
  rollout: parts.group(2),
  reward: parts.outcome(),
  advantage: parts.groupAdvantage({ scale: "none" }),
} as const;

function update(
  engine: TableEngine,
  stage: Stage,
  {
    groups = [GROUP],
    step = 0,
    state = {},
    reference,
  }: {
    groups?: Parameters<typeof updateStage>[2];
    step?: number;
    state?: PartContext["state"];
    reference?: readonly number[];
  } = {},
): Promise<StageUpdate> {
  const context = { ...partContext(stage, step), state: initialValues(stage, state) };
  const scorer = (logProbs: readonly number[]) => ({
    reference: async (sequences: readonly { readonly tokenIds: readonly number[] }[]) =>
      sequences.map(({ tokenIds }) => Float32Array.from(tokenIds, (id) => logProbs[id] ?? 0)),
  });
  const resources = reference === undefined ? {} : scorer(reference);
  return updateStage(engine, stage, groups, context, resources, context.signal);
}

const slopesOf = ({ given }: TableEngine, pass = 0): number[][] =>
  (given[pass]?.logProb ?? []).map((row) => [...row]);

test("a success rises and a failure falls by rate · advantage · share", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({
    ...PLAIN,
    losses: [parts.reinforce()],
    settings: { learningRate: 0.4 },
  });
  await update(engine, stage);
  expect(slopesOf(engine)).toEqual([
    [0, -0.25],
    [0, 0.25],
  ]);
  expect(engine.at(1)).toBeCloseTo(-0.9, 6);
  expect(engine.at(2)).toBeCloseTo(-1.1, 6);
});

test("a second epoch measures its ratio from the start of the update, so the clip binds", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({
    ...PLAIN,
    losses: [parts.pgClip(0.2)],
    settings: { learningRate: 1, epochs: 3 },
  });
  const { metrics } = await update(engine, stage);
  // The first step moves log π by ±0.25: both ratios leave [0.8, 1.2].
  expect(slopesOf(engine, 1)).toEqual([
    [0, 0],
    [0, 0],
  ]);
  expect(engine.at(1)).toBeCloseTo(-0.75, 6);
  expect(engine.rates).toEqual([1, 1, 1]);
  expect(metrics["clipFraction"]).toBeCloseTo(2 / 3, 6);
});

test("each epoch gets the number of earlier epochs", async () => {
  const told: PartContext["epoch"][] = [];
  const listens: LossPart = {
    ...parts.reinforce(),
    compute: (minibatch, context) => {
      told.push(context.epoch);
      return parts.reinforce().compute(minibatch, context);
    },
  };
  await update(
    tableEngine([0, -1, -1]),
    rewardStage({ ...PLAIN, losses: [listens], settings: { epochs: 2 } }),
  );
  expect(told).toEqual([
    { taken: 0, of: 2 },
    { taken: 1, of: 2 },
  ]);
});

test("importance weights come from the recorded log-probs", async () => {
  const engine = tableEngine([0, -1, -1]);
  const groups = [
    groupOf(
      { id: "a", tokens: [0, 1], reward: 1, behavior: [0, -1 + Math.log(2)] },
      { id: "b", tokens: [0, 2], reward: 0, behavior: [0, -1 - Math.log(9)] },
    ),
  ];
  const stage = rewardStage({
    ...PLAIN,
    losses: [parts.truncatedImportance(parts.reinforce(), 2)],
  });
  const { metrics } = await update(engine, stage, { groups });
  const [[, first = 0] = [], [, second = 0] = []] = slopesOf(engine);
  expect(first).toBeCloseTo(-0.25 * 0.5, 6);
  expect(second).toBeCloseTo(0.25 * 2, 6);
  expect(metrics["mismatchK3"]).toBeGreaterThan(0);
});

test("losses are summed by their weights", async () => {
  const engine = tableEngine([0, -1, -1]);
  const losses = [
    { loss: parts.reinforce(), weight: 3 },
    { loss: parts.entropyBonus(1), weight: 0.5 },
  ] as const;
  const { metrics } = await update(engine, rewardStage({ ...PLAIN, losses }));
  expect(slopesOf(engine)).toEqual([
    [0, -0.75],
    [0, 0.75],
  ]);
  expect((engine.given[0]?.entropy ?? []).map((row) => [...row])).toEqual([
    [0, -0.25],
    [0, -0.25],
  ]);
  // The surrogates cancel, which leaves −½ · entropy 1.
  expect(metrics["loss"]).toBeCloseTo(-0.5, 6);
});

const REFERENCE = { state: { ref: parts.reference } };

test("a KL term in the reward subtracts the rollout's KL from the reference", async () => {
  // Token 1 is likelier than in the reference by 0.4 nats, token 2 less likely by 0.2.
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({
    ...PLAIN,
    ...REFERENCE,
    losses: [parts.reinforce()],
    kl: { in: "reward", coefficient: 0.5 },
  });
  const { numbers } = await update(engine, stage, { reference: [0, -1.4, -0.8] });
  const rewards = numbers?.groups[0]?.trajectories.map(({ reward }) => reward.total) ?? [];
  expect(rewards[0]).toBeCloseTo(1 - 0.5 * 0.4, 6);
  expect(rewards[1]).toBeCloseTo(0 + 0.5 * 0.2, 6);
  const advantage = (0.8 - 0.1) / 2;
  expect(slopesOf(engine)[0]?.[1]).toBeCloseTo(-advantage / 2, 6);
});

test("a KL term in the loss pulls every token toward the reference", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({
    ...PLAIN,
    ...REFERENCE,
    losses: [parts.reinforce()],
    kl: { in: "loss", coefficient: 0.5, estimator: "k2" },
  });
  await update(engine, stage, { reference: [0, -1.4, -0.8] });
  // k2 has the slope log π − log ref.
  expect(slopesOf(engine)[0]?.[1]).toBeCloseTo(-0.25 + 0.5 * 0.5 * 0.4, 6);
  expect(slopesOf(engine)[1]?.[1]).toBeCloseTo(0.25 - 0.5 * 0.5 * 0.2, 6);
});

test("the weight of a KL budget is adapted toward its target and stored", async () => {
  const stage = rewardStage({
    ...PLAIN,
    losses: [parts.reinforce()],
    kl: { in: "loss", coefficient: { target: 1e-3, horizon: 2 }, estimator: "k2" },
    state: { ref: parts.reference, "kl-coefficient": parts.klCoefficient(0.1) },
  });
  const far = await update(tableEngine([0, -1, -1]), stage, { reference: [0, -2, -2] });
  // Two samples over a horizon of two, with the error clipped at 0.2.
  expect(far.state["kl-coefficient"]).toBeCloseTo(0.12, 9);
  expect(far.metrics["klCoefficient"]).toBe(0.1);
  const near = await update(tableEngine([0, -1, -1]), stage, {
    reference: [0, -1, -1],
    state: { "kl-coefficient": 0.12 },
  });
  expect(near.state["kl-coefficient"]).toBeCloseTo(0.096, 9);
});

test("the scheduled weight of a reward component is applied to the reward", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({
    ...PLAIN,
    reward: parts.weighted([
      [parts.outcome(), 1],
      [parts.format(), 1],
    ]),
    losses: [parts.reinforce()],
    steps: 3,
    schedule: [parts.weightAnneal({ outcome: [1, 3], format: [0, 0] })],
  });
  await update(engine, stage, { step: 2 });
  expect(slopesOf(engine)[0]?.[1]).toBeCloseTo(-0.25 * 3, 6);
});

test("the learning rate of a step follows its schedule", async () => {
  const engine = tableEngine([0, -1, -1]);
  const schedule = [parts.rate((steps) => (step) => 1 - step / steps)];
  const stage = rewardStage({ ...PLAIN, losses: [parts.reinforce()], schedule, steps: 4 });
  const { metrics } = await update(engine, stage, { step: 1 });
  expect(engine.rates).toEqual([0.75]);
  expect(metrics["learningRate"]).toBe(0.75);
});

test("a critic's values are those before each token, and its derivatives are shifted back", async () => {
  // After token 0 the critic outputs 0.5, which is the value before token 1.
  const engine = tableEngine([0, -1, -1], [0.5, 9, 9]);
  const stage = rewardStage({
    rollout: parts.single(),
    reward: parts.outcome(),
    advantage: parts.gae({ whitened: false }),
    losses: [parts.reinforce(), { loss: parts.critic(), weight: 1 }],
    state: { critic: parts.valueHead },
  });
  const groups = [groupOf({ id: "a", tokens: [0, 1], reward: 1 })];
  const { numbers } = await update(engine, stage, { groups });
  expect(numbers?.advantages?.get("a")?.[0]?.[1]).toBeCloseTo(0.5, 6);
  const [row = []] = (engine.given[0]?.values ?? []).map((values) => [...values]);
  // ½(V − R)² at V = ½, R = 1 has the slope −½, at the position of token 0.
  expect(Math.abs(row[0] ?? 0)).toBeGreaterThan(0.1);
  expect(row[0]).toBeLessThan(0);
  expect(row[1]).toBe(0);
});

test("filtered trajectories are not trained on, and the reason is reported", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = tokenStage({
    rollout: parts.group(2),
    reward: parts.outcome(),
    losses: [parts.crossEntropy()],
    filters: [parts.success()],
  });
  const { dropped, learned } = await update(engine, stage);
  expect(learned).toBe(true);
  expect(slopesOf(engine)).toEqual([[0, -1]]);
  expect([...dropped.keys()]).toEqual(["b"]);
});

test("no step is taken if filters leave nothing", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({
    ...PLAIN,
    losses: [parts.reinforce()],
    filters: [parts.mixedGroup()],
  });
  const groups = [
    groupOf({ id: "a", tokens: [0, 1], reward: 1 }, { id: "b", tokens: [0, 2], reward: 1 }),
  ];
  const { learned, dropped, numbers } = await update(engine, stage, { groups });
  expect({ learned, numbers, steps: engine.rates.length }).toEqual({
    learned: false,
    numbers: null,
    steps: 0,
  });
  expect(dropped.size).toBe(2);
});

test("state set by a filter is visible to later parts and is stored", async () => {
  const seen: unknown[] = [];
  const leaves = (part: string, value: number): FilterPart => ({
    slot: "filter",
    part,
    needs: [],
    apply: (groups, { state }) => {
      seen.push(state["temperature"]);
      return { groups, dropped: new Map(), state: { temperature: value } };
    },
    observes: (_, { state }) => {
      seen.push(state["temperature"]);
      return { "entropy-strength": 7 };
    },
  });
  const stage = rewardStage({
    ...PLAIN,
    losses: [parts.reinforce()],
    filters: [leaves("one", 1), leaves("two", 2)],
  });
  const { state } = await update(tableEngine([0, -1, -1]), stage);
  expect(seen).toEqual([undefined, 1, 2, 2]);
  expect(state).toMatchObject({ temperature: 2, "entropy-strength": 7 });
});

test("an aborted update takes no step", async () => {
  const engine = tableEngine([0, -1, -1]);
  const controller = new AbortController();
  const called: LossPart = {
    ...parts.reinforce(),
    compute: (...given) => {
      controller.abort(new Error("aborted by the test"));
      return parts.reinforce().compute(...given);
    },
  };
  const stage = rewardStage({ ...PLAIN, losses: [called] });
  const context = partContext(stage, 0);
  const update = updateStage(engine, stage, [GROUP], context, {}, controller.signal);
  await expect(update).rejects.toThrow(/aborted by the test/);
  expect([engine.given.length, engine.rates.length]).toEqual([0, 0]);
});

test("a trajectory without siblings after filtering is left out as group-of-one", async () => {
  const engine = tableEngine([0, -1, -1]);
  const stage = rewardStage({ ...PLAIN, losses: [parts.reinforce()], filters: [parts.curated(1)] });
  const { learned, dropped } = await update(engine, stage);
  expect(learned).toBe(false);
  expect(Object.fromEntries(dropped)).toEqual({ a: "group-of-one", b: "not-within-budget" });
});

test("parameters that a loss does not train do not change", async () => {
  const engine = tableEngine([0, -1, -1]);
  const none = parts.parameterSubset(parts.reinforce(), () => new Set<string>());
  await update(engine, rewardStage({ ...PLAIN, losses: [none], settings: { learningRate: 1 } }));
  expect(engine.rates).toEqual([1]);
  expect([engine.at(1), engine.at(2)]).toEqual([-1, -1]);
});

test("texts are written from this step's rollouts, not from replayed ones", async () => {
  const written: string[][] = [];
  const old = groupOf({ id: "old", tokens: [0, 1], reward: 1 });
  const brings: FilterPart = {
    slot: "filter",
    part: "brings",
    needs: [],
    apply: (groups) => {
      const [first] = groups;
      const [trajectory] = old.trajectories;
      const [rewarded] = first?.trajectories ?? [];
      if (first === undefined || trajectory === undefined || rewarded === undefined)
        throw new Error("none");
      const more = { ...first, trajectories: [...first.trajectories, { ...rewarded, trajectory }] };
      return { groups: [more], dropped: new Map() };
    },
  };
  const stage = writingStage({
    rollout: parts.group(2),
    reward: parts.outcome(),
    filters: [brings],
    how: {
      slot: "loss",
      part: "text-edit",
      needs: [],
      asks: false,
      write: (groups) => {
        written.push(
          groups.flatMap(({ trajectories }) => trajectories.map(({ trajectory }) => trajectory.id)),
        );
        return { state: { prompts: "new" }, changes: 1 };
      },
    },
  });
  const { learned, state } = await update(tableEngine([0, -1, -1]), stage);
  expect(written).toEqual([["a", "b"]]);
  expect({ learned, state }).toEqual({ learned: true, state: { prompts: "new" } });
});
