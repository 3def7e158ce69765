import { expect, test } from "vitest";
import { group as attemptsOf } from "../parts/rollouts.ts";
import { partsOf, recipe, type RecipeDefinition } from "./definition.ts";
import type { AdvantagePart, FilterPart, LossPart, RewardPart, RolloutPart } from "./part.ts";
import { type KlTerm, pairStage, rewardStage, settingsAt, tokenStage } from "./stage.ts";
import { kept, resource } from "./state.ts";

const group: RolloutPart<never, "group"> = {
  slot: "rollout",
  part: "group",
  needs: [],
  start: "group",
  plan: () => ({ kind: "group", size: 8 }),
};
const single: RolloutPart<never, "single"> = {
  ...group,
  part: "single",
  start: "single",
  plan: () => ({ kind: "group", size: 1 }),
};
const outcome: RewardPart = {
  slot: "reward",
  part: "outcome",
  needs: [],
  score: ({ episodes }) => episodes.map(({ verification }) => ({ reward: verification.reward })),
};
const nothing = () => ({ advantages: new Map() });
const relative: AdvantagePart<never, "group"> = {
  slot: "advantage",
  part: "group",
  needs: [],
  start: "group",
  estimate: nothing,
};
const moving: AdvantagePart<"baseline", "single"> = {
  ...relative,
  part: "rae",
  needs: ["baseline"],
  start: "single",
};
const gae: AdvantagePart<"critic", "single"> = {
  ...relative,
  part: "gae",
  needs: ["critic"],
  start: "single",
};
const clip: LossPart = {
  slot: "loss",
  part: "pg-clip",
  needs: [],
  derivatives: ["logProb"],
  compute: () => ({ loss: 0, derivatives: {}, metrics: {} }),
};
const dpo: LossPart<"ref"> = { ...clip, part: "dpo", needs: ["ref"] };
const pairGap: FilterPart = {
  slot: "filter",
  part: "pair-gap",
  needs: [],
  apply: (groups) => ({ groups, dropped: new Map() }),
};
const baseline = kept("baseline", () => ({}));
const base = { rollout: group, reward: outcome, losses: [clip] };

test("parts that fit make a stage, with the defaults filled in", () => {
  const stage = rewardStage({ ...base, advantage: relative });
  expect(stage).toMatchObject({ learns: "rewards", filters: [], kl: null, state: {} });
  expect(stage.losses).toEqual([{ loss: clip, weight: 1 }]);
  // A baseline for single rollouts serves groups as well.
  expect(rewardStage({ ...base, advantage: moving, state: { baseline } }).state).toEqual({
    baseline,
  });
  const ref = resource("ref");
  const pairs = pairStage({ ...base, filters: [pairGap], losses: [dpo], state: { ref } });
  expect(pairs.learns).toBe("pairs");
  expect(tokenStage({ rollout: single, losses: [clip] }).advantage).toBeNull();
});

test("nonsense does not compile", () => {
  // @ts-expect-error a critic's advantage without a critic
  rewardStage({ ...base, advantage: gae });
  // @ts-expect-error a group statistic over single rollouts
  rewardStage({ ...base, rollout: single, advantage: relative });
  // @ts-expect-error a KL term without a reference
  rewardStage({ ...base, advantage: relative, kl: { in: "reward", coefficient: 0.01 } });
  const budget = { in: "reward", coefficient: { target: 0.1, horizon: 100 } } as const;
  // @ts-expect-error a KL budget without the weight that moves
  rewardStage({ ...base, advantage: relative, kl: budget, state: { ref: resource("ref") } });
  // @ts-expect-error pairs without a reference
  pairStage({ ...base, filters: [pairGap], losses: [dpo] });
  // @ts-expect-error pairs that no filter makes
  pairStage({ ...base, filters: [], losses: [clip] });
  // @ts-expect-error k1 has a gradient of mean 0 in a loss
  const kl: KlTerm = { in: "loss", coefficient: 1, estimator: "k1" };
  expect(kl).toBeDefined();
});

test("a schedule changes the settings of a step, each part after the one before it", () => {
  const stage = rewardStage({
    ...base,
    advantage: relative,
    settings: { maxTurns: 2 },
    schedule: [
      {
        slot: "schedule",
        part: "horizon-curr",
        at: (settings, { step }) => ({ ...settings, maxTurns: (settings.maxTurns ?? 0) + step }),
      },
      {
        slot: "schedule",
        part: "diff-curr",
        at: (settings) => ({ ...settings, difficulty: (settings.maxTurns ?? 0) / 10 }),
      },
    ],
  });
  const { signal } = new AbortController();
  const context = { step: 3, steps: 30, random: () => 0, state: {}, ports: {}, signal };
  expect(settingsAt(stage, context)).toMatchObject({ maxTurns: 5, difficulty: 0.5 });
});

test.each([-1, Number.POSITIVE_INFINITY, Number.NaN])(
  "a number of at least 0 is not %s",
  (size) => {
    const create = recipe({
      ...{ name: "toy", literature: "ARTIST", differs: [], schedule: ["one"] },
      settings: { size: 8 },
      stages: () => [rewardStage({ ...base, advantage: relative })],
    });
    expect(create({ size: 0 }).settings).toMatchObject({ size: 0 });
    expect(() => create({ size })).toThrow(/size=8, tasks=16, got size=.*a number of at least 0/);
  },
);

test.each([0, 2.5])("%s attempts are no group", (size) => {
  expect(() => attemptsOf(size)).toThrow(/whole number from 1/);
});

test("a recipe is its stages by its settings; a setting it does not have is answered with those it has", () => {
  const definition: RecipeDefinition<{ size: number; scaled: boolean }> = {
    name: "toy",
    literature: "ARTIST",
    differs: [],
    schedule: ["one"],
    settings: { size: 8, scaled: true },
    stages: ({ size, scaled }) => [
      rewardStage({
        ...base,
        advantage: relative,
        steps: scaled ? 10 : 20,
        settings: { tasksPerStep: size },
      }),
    ],
  };
  const create = recipe(definition);
  expect(create().stages[0]).toMatchObject({ steps: 10, settings: { tasksPerStep: 8 } });
  expect(create({ size: 4, scaled: false }).stages[0]).toMatchObject({
    steps: 20,
    settings: { tasksPerStep: 4 },
  });
  expect(partsOf(create())).toEqual({
    rollout: ["group"],
    reward: ["outcome"],
    advantage: ["group"],
    loss: ["pg-clip"],
    schedule: ["one"],
  });
  expect(() => recipe({ ...definition, schedule: ["sft-rl"] })()).toThrow(
    /must be sft-rl, got rewards in 1 round/,
  );
  expect(() => create({ sizes: 4 })).toThrow(/size=8, scaled=true/);
  expect(() => create({ size: "many" })).toThrow(/number/);
});
