/**
 * The loop calls rewards and filters once, with the context of the step that trains on the groups.
 */
import type { FilterPart, RewardPart, Stage } from "@waggle/learning";
import { afterEach, expect, test } from "vitest";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import {
  createSetup,
  live,
  removeSetups,
  WITH_SIGNAL,
} from "../edge-training/training-loop.fixture.ts";

afterEach(removeSetups);

type Asked = { readonly step: number; readonly trajectories: readonly string[] };

/** The recipe with a reward and a filter that count their calls. */
function counting(
  rewarded: Asked[],
  filtered: Asked[],
  decides: (step: number) => boolean = () => true,
) {
  const recipe = edgeRecipeNamed("grpo", { groupsPerStep: 2 });
  const reward = recipe.stage.reward as RewardPart;
  const counted: RewardPart = {
    ...reward,
    rewards: (group, context) => {
      rewarded.push({ step: context.step, trajectories: group.trajectories.map(({ id }) => id) });
      return reward.rewards(group, context);
    },
  };
  const filter: FilterPart = {
    slot: "filter",
    part: "counting",
    needs: [],
    apply: (groups, { step }) => {
      const all = groups.flatMap(({ trajectories }) =>
        trajectories.map(({ trajectory }) => trajectory.id),
      );
      filtered.push({ step, trajectories: all });
      const [first] = groups;
      // From some step on, whole groups of a kind are left out.
      const dropped = decides(step) ? [] : (first?.trajectories ?? []);
      return {
        groups: groups.filter((group) => decides(step) || group !== first),
        dropped: new Map(dropped.map(({ trajectory }) => [trajectory.id, "first"])),
      };
    },
  };
  const stage: Stage = { ...recipe.stage, reward: counted, filters: [filter] };
  return { ...recipe, stage };
}

test("each group is rewarded once, at the step that trains on it", async () => {
  const [rewarded, filtered]: [Asked[], Asked[]] = [[], []];
  const setup = await createSetup(WITH_SIGNAL);
  const { summary } = await live(setup, { recipe: counting(rewarded, filtered) });
  expect(summary.state.step).toBeGreaterThan(1);
  expect(rewarded).toHaveLength(WITH_SIGNAL.length);
  const stepOf = new Map(
    rewarded.flatMap(({ step, trajectories }) => trajectories.map((id) => [id, step])),
  );
  const learned = [...setup.edge.acknowledged].flatMap(([digest, [outcome]]) =>
    outcome?.status === "learned" ? [[digest, outcome.step] as const] : [],
  );
  expect(learned.length).toBeGreaterThan(0);
  // Parts count steps from 0, outcomes from 1.
  for (const [digest, step] of learned) expect(stepOf.get(digest)).toBe((step ?? 0) - 1);
});

test("filters judge a batch once, as it is trained on", async () => {
  const [rewarded, filtered]: [Asked[], Asked[]] = [[], []];
  const setup = await createSetup(WITH_SIGNAL);
  const { summary } = await live(setup, { recipe: counting(rewarded, filtered) });
  const batches = filtered.map(({ step, trajectories }) => `${step} ${trajectories.join(" ")}`);
  expect(new Set(batches).size).toBe(batches.length);
  for (let step = 0; step < summary.state.step; step += 1) {
    const last = filtered.filter((asked) => asked.step === step).at(-1);
    const learned = [...setup.edge.acknowledged].flatMap(([digest, [outcome]]) =>
      outcome?.status === "learned" && outcome.step === step + 1 ? [digest] : [],
    );
    expect([...(last?.trajectories ?? [])].sort()).toEqual(learned.sort());
  }
});

test("a filter that changes with the step decides with the context of the training step", async () => {
  const [rewarded, filtered]: [Asked[], Asked[]] = [[], []];
  const setup = await createSetup(WITH_SIGNAL);
  // From the second step on, the oldest group of each batch is left out.
  const recipe = counting(rewarded, filtered, (step) => step === 0);
  const { summary } = await live(setup, { recipe });
  const outcomes = [...setup.edge.acknowledged.values()].map(([outcome]) => outcome);
  const skipped = outcomes.filter((outcome) => outcome?.reason === "first");
  expect(skipped.length).toBeGreaterThan(0);
  const learned = outcomes.filter((outcome) => outcome?.status === "learned");
  expect(skipped.length + learned.length).toBe(outcomes.length);
  expect(learned.filter((outcome) => outcome?.step === 1)).toHaveLength(8);
  expect(summary.twice).toBe(0);
});
