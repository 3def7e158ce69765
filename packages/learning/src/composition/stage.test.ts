import { expect, test } from "vitest";
import * as parts from "../parts.ts";
import { partsOf, recipe, type RecipeDefinition } from "./definition.ts";
import type {
  AdvantagePart,
  FilterPart,
  LossPart,
  PairLoss,
  RewardPart,
  RolloutPart,
} from "./part.ts";
import { groupStrategy } from "../rollouts/plain-rollouts.ts";
import { type KlTerm, pairStage, rewardStage, settingsAt, tokenStage } from "./stage.ts";
import { kept, resource } from "./state.ts";

const group: RolloutPart<never, "group"> = {
  slot: "rollout",
  part: "group",
  needs: [],
  start: "group",
  strategy: () => groupStrategy({ size: 8 }),
};

const single: RolloutPart<never, "single"> = {
  ...group,
  part: "single",
  start: "single",
  strategy: () => groupStrategy({ size: 1 }),
};

const outcome: RewardPart = {
  slot: "reward",
  part: "outcome",
  needs: [],
  rewards: ({ trajectories }) =>
    trajectories.map(({ verification }) => ({ total: verification.reward })),
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

const dpo: PairLoss<"ref"> = { ...clip, part: "dpo", needs: ["ref"], reads: "pairs" };

const pairGap: FilterPart = {
  slot: "filter",
  part: "pair-gap",
  needs: [],
  apply: (groups) => ({ groups, dropped: new Map() }),
};

const baseline = kept("baseline", () => ({}));

const base = { rollout: group, reward: outcome, losses: [clip] } as const;

test("compatible parts make a stage with default settings", () => {
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

test("incompatible parts do not compile", () => {
  // @ts-expect-error a critic's advantage without a critic
  rewardStage({ ...base, advantage: gae });
  // @ts-expect-error a group statistic over single rollouts
  rewardStage({ ...base, rollout: single, advantage: relative });
  // @ts-expect-error a KL term without a reference
  rewardStage({ ...base, advantage: relative, kl: { in: "reward", coefficient: 0.01 } });
  // @ts-expect-error pairs without a reference
  pairStage({ ...base, filters: [pairGap], losses: [dpo] });
  // @ts-expect-error pairs that no filter makes
  pairStage({ ...base, filters: [], losses: [clip] });
  // @ts-expect-error k1 has a gradient of mean 0 in a loss
  const kl: KlTerm = { in: "loss", coefficient: 1, estimator: "k1" };
  expect(kl).toBeDefined();
});

test("parts do not compile in stages that cannot use them", () => {
  const learner = {
    rollout: parts.group(),
    reward: parts.outcome(),
    advantage: parts.groupAdvantage(),
  } as const;
  const ref = resource("ref");
  const critic = resource("critic");
  const losses = [parts.pgClip()] as const;
  // @ts-expect-error a critic's loss without values
  rewardStage({ ...learner, losses: [parts.pgClip(), parts.critic()] });
  // @ts-expect-error values of another name
  rewardStage({ ...learner, losses: [parts.pgClip(), parts.critic()], state: { ref } });
  // Controls: the refused stages below differ from these in one field.
  const valued = {
    ...learner,
    losses: [parts.pgClip(), parts.critic()],
    state: { critic },
  } as const;
  expect(rewardStage(valued).state).toEqual({ critic });
  rewardStage({ ...learner, losses, kl: { in: "reward", coefficient: 1 }, state: { ref } });
  rewardStage({
    ...learner,
    losses,
    state: { ref },
    kl: { in: "loss", coefficient: 1, estimator: "k2" },
  });
  rewardStage({
    ...learner,
    losses,
    state: { ref },
    // @ts-expect-error KL in the reward and in the loss
    kl: [
      { in: "reward", coefficient: 1 },
      { in: "loss", coefficient: 1, estimator: "k2" },
    ],
  });
  rewardStage({
    ...learner,
    losses,
    state: { ref },
    // @ts-expect-error the estimator of a loss for a KL in the reward
    kl: { in: "reward", coefficient: 1, estimator: "k2" },
  });
  const shown = { rollout: parts.demos(), losses: [parts.crossEntropy()], state: { ref } } as const;
  // @ts-expect-error a KL in a reward that is not learned from
  tokenStage({ ...shown, kl: { in: "reward", coefficient: 1 } });
  // @ts-expect-error a loss of pairs where nobody makes them
  rewardStage({ ...learner, losses: [parts.dpo()], state: { ref } });
  // @ts-expect-error the same in a stage of tokens
  tokenStage({ ...shown, losses: [parts.dpo()] });
  // @ts-expect-error no loss at all
  rewardStage({ ...learner, losses: [] });
});

test("schedule parts change the settings of a step in order", () => {
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
      name: "toy",
      literature: "ARTIST",
      differs: [],
      schedule: ["one"],
      settings: { size: 8 },
      stages: () => [rewardStage({ ...base, advantage: relative })],
    });
    expect(create({ size: 0 }).settings).toMatchObject({ size: 0 });
    expect(() => create({ size })).toThrow(/size of recipe .* must be a number of at least 0, got/);
  },
);

test.each([0, 2.5])("%s rollouts are no group", (size) => {
  expect(() => parts.group(size)).toThrow(/whole number of at least 1/);
});

test("a recipe builds its stages from its settings; an unknown setting is refused with the list", () => {
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
    /schedule "sft-rl", but its stages are: rewards \(1 round\)/,
  );
  expect(() => create({ sizes: 4 })).toThrow(/size=8, scaled=true/);
  expect(() => create({ size: "many" })).toThrow(/number/);
});
