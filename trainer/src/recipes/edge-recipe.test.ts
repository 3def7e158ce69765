import { constantRate, recipeNamed, RECIPES, settingsAt } from "@waggle/learning";
import { expect, test } from "vitest";
import { listedRecipes } from "./edge-recipe-list.ts";
import {
  DEFAULT_EDGE_RECIPE,
  edgeMisfits,
  edgeRecipeNamed,
  edgeRecipeNames,
} from "./edge-recipe.ts";
import { learnableTrajectory } from "../check/learnable-group.ts";
import { partContext } from "./part-context.ts";
import { randomTrajectory } from "../edge-training/training.fixture.ts";
import { rewardedForStep, waitingStep } from "../check/waiting-step.ts";

test("recipes without branching or stored trajectories can train from an edge, among them the default", () => {
  const names = edgeRecipeNames();
  expect(names).toEqual(expect.arrayContaining(["grpo", DEFAULT_EDGE_RECIPE, "artist"]));
  expect(names.length).toBeLessThan(RECIPES.size);
});

test.each([
  ["arpo", "branches rollouts"],
  ["pivot-rl", "reward equiv needs branches of a stored turn"],
  ["webdancer", "has 2 stages"],
  ["rft-instance-filter", "has 2 rounds"],
  ["rl-retention", "needs stored trajectories"],
  ["scaling-inter-rl", "limits the turns"],
  ["spear", "needs stored successes"],
  ["visual-arft", "reward f1 needs a verifier that reports answer"],
])("%s cannot train from an edge: %s. The error lists the recipes that can", (name, why) => {
  expect(edgeMisfits(recipeNamed(name)()).join("; ")).toContain(why);
  const refused = new RegExp(
    `recipe ${name} cannot train from an edge: its? .*${why}.*Choose one of .*dr-grpo-tis.*npm run train`,
  );
  expect(() => edgeRecipeNamed(name)).toThrow(refused);
});

test.each(["nope", "toString"])(
  "an unknown recipe name, such as %s, is refused with the known names",
  (name) => {
    expect(() => edgeRecipeNamed(name)).toThrow(
      expect.objectContaining({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("grpo") as string,
      }),
    );
  },
);

test.each(["thumbs-kto", "signals-kto"])(
  "%s has a setting for the weights of its labels",
  (name) => {
    const own = { ktoWeights: "balanced" };
    expect(edgeRecipeNamed(name, { own }).stage.losses[0]?.loss.part).toBe("kto");
    expect(() => edgeRecipeNamed(name, { own: { ktoWeights: "even" } })).toThrow(/balanced/);
  },
);

test("settings of the command line apply to any recipe", () => {
  const { stage, maxStaleness } = edgeRecipeNamed("artist", {
    groupsPerStep: 4,
    epochs: 2,
    maxStaleness: 7,
    entropyCoefficient: 0.1,
    learningRate: constantRate(0.5),
    optimizer: { weightDecay: 0.1 },
  });
  expect(settingsAt(stage, partContext(stage, 99))).toMatchObject({
    tasksPerStep: 4,
    epochs: 2,
    learningRate: 0.5,
  });
  expect(maxStaleness).toBe(7);
  expect(stage.optimizer).toEqual({ maxGradientNorm: 1, weightDecay: 0.1 });
  expect(stage.losses.map(({ loss }) => loss.part)).toEqual(["span-mask", "entropy-bonus"]);
});

test("the recipe's own settings are set by name, and unknown ones are refused with the list", () => {
  expect(edgeRecipeNamed("dr-grpo-tis", { own: { steps: 7 } }).stage.steps).toBe(7);
  expect(() => edgeRecipeNamed("dr-grpo-tis", { own: { size: 7 } })).toThrow(/groupSize=8/);
});

test("the maximum staleness is four versions for recipes with a stale sampler, else one, and more for late feedback", () => {
  expect(edgeRecipeNamed("dr-grpo-tis").maxStaleness).toBe(4);
  expect(edgeRecipeNamed("grpo").maxStaleness).toBe(1);
  const late = [
    "thumbs-reinforce",
    "signals-reinforce-plus-plus",
    "openclaw-rl",
    "thumbs-kto",
    "retries-dpo",
  ];
  for (const name of late) expect(edgeRecipeNamed(name).maxStaleness).toBe(64);
  // Its loss has no importance weights. Edits are exempt from the limit.
  expect(edgeRecipeNamed("corrections-imitate").maxStaleness).toBe(1);
  expect(edgeRecipeNamed("thumbs-reinforce", { maxStaleness: 2 }).maxStaleness).toBe(2);
});

const groupOf = (...rewards: readonly number[]) => ({
  task: "task",
  trajectories: rewards.map((reward, i) =>
    learnableTrajectory(`${i}`, randomTrajectory(i), { reward, success: reward === 1, parts: {} }),
  ),
});

test.each([
  ["grpo", [0, 0], null],
  ["grpo", [1], "group-of-one"],
  ["dr-grpo-tis", [0.5, 0.5], "no-signal"],
  ["dr-grpo-tis", [0.5, 0.6], null],
  ["dr-grpo-tis", [0.5], "group-of-one"],
  ["greedy-agents", [1], null],
])("%s with a group of rewards %j is skipped for: %s", async (name, rewards, reason) => {
  const recipe = edgeRecipeNamed(name);
  const coming = { step: 0, band: 0.1 };
  const rewarded = await rewardedForStep(recipe, groupOf(...rewards), coming);
  const { groups, reasons } = waitingStep(recipe, [rewarded], coming);
  expect(groups.length > 0).toBe(reason === null);
  expect([...reasons.values()]).toEqual(reason === null ? [] : rewards.map(() => reason));
});

test("the list has every recipe of the catalogue and the reasons against one", () => {
  const [line = ""] = listedRecipes(true);
  const { recipes } = JSON.parse(line) as {
    recipes: { name: string; fits: boolean; misfits: string[] }[];
  };
  expect(recipes).toHaveLength(RECIPES.size);
  expect(recipes.every(({ fits, misfits }) => fits === (misfits.length === 0))).toBe(true);
  expect(listedRecipes(false).find((row) => row.startsWith("arpo "))).toMatch(
    /^arpo {2,}no: branches rollouts \(branch-entropy\)$/,
  );
});

test("a KL term to the base model can be added to any recipe, and 0 adds none", () => {
  const { stage } = edgeRecipeNamed(DEFAULT_EDGE_RECIPE, { klCoefficient: 0.02 });
  expect(stage.kl).toEqual({ in: "loss", coefficient: 0.02, estimator: "k3-with-k2-gradient" });
  expect(Object.keys(stage.state)).toContain("ref");
  const without = edgeRecipeNamed(DEFAULT_EDGE_RECIPE, { klCoefficient: 0 });
  expect([without.stage.kl, Object.keys(without.stage.state)]).toEqual([null, []]);
});

test("a recipe that is rewarded by feedback learns from visitors' own requests, and others from tasks", () => {
  expect(edgeRecipeNamed("thumbs-reinforce").feedback).toEqual({ thumb: 1 });
  expect(edgeRecipeNamed("outcomes-reinforce").feedback).toEqual({ outcome: 1 });
  const own = { thumbWeight: 0.25 };
  expect(edgeRecipeNamed("signals-reinforce", { own }).feedback).toEqual({
    thumb: 0.25,
    outcome: 1,
    message: 0.5,
    undo: 1,
  });
  expect(edgeRecipeNamed("corrections-imitate").feedback).toEqual({ edit: 1, staff: 1 });
  expect(edgeRecipeNamed("thumbs-kto").feedback).toEqual({ thumb: 1 });
  expect(edgeRecipeNamed("signals-kto", { own }).feedback).toEqual(
    edgeRecipeNamed("signals-reinforce", { own }).feedback,
  );
  expect(edgeRecipeNamed("corrections-dpo").feedback).toEqual({ edit: 1, staff: 1 });
  expect(edgeRecipeNamed("retries-dpo").feedback).toEqual({ retry: 1 });
  expect(edgeRecipeNamed(DEFAULT_EDGE_RECIPE).feedback).toBeNull();
});
