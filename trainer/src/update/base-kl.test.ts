/** The KL term of live training: what rewards do not ask for stays near the base. */
import { constantRate, sampledKl } from "@waggle/learning";
import { expect, test } from "vitest";
import { type LearnableGroup, learnableTrajectory } from "../check/learnable-group.ts";
import { learnFrom, randomTrajectory, tinyEngine } from "../edge-training/training.fixture.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import type { FrozenScorer } from "./recipe-models.ts";

const GROUPS: readonly LearnableGroup[] = Array.from({ length: 4 }, (_, g) => ({
  task: `task ${g}`,
  trajectories: Array.from({ length: 4 }, (_unused, i) => {
    const trajectory = randomTrajectory(10 * g + i);
    const verification = { reward: i % 2, success: i % 2 === 1, parts: {} };
    return learnableTrajectory(trajectory.id, trajectory, verification, 0);
  }),
}));
const STEPS = 8;

/** Distance from the base in nats per token, before the first and the last step, and after it. */
async function distances(klCoefficient: number) {
  const base = await tinyEngine();
  const engine = await tinyEngine();
  const reference: FrozenScorer = async (sequences) => (await base.forward({ sequences })).logProb;
  const recipe = edgeRecipeNamed("dr-grpo-tis", {
    learningRate: constantRate(0.02),
    klCoefficient,
  });
  const measured: (number | undefined)[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    const options = { step, band: 0.1, microbatchTokens: 4096, shuffleAdvantages: null, reference };
    const { metrics } = await learnFrom(engine, recipe, GROUPS, options);
    measured.push(metrics["referenceKl"]);
  }
  const samples = GROUPS.flatMap(({ trajectories }) =>
    trajectories.flatMap(({ trajectory }) => trajectory.samples),
  );
  const sequences = samples.map(({ sequence }) => sequence);
  const { logProb } = await engine.forward({ sequences });
  const after = sampledKl(
    samples.map(({ lossMask }) => lossMask),
    logProb,
    await reference(sequences),
  );
  await engine.dispose();
  await base.dispose();
  return { measured, after };
}

test("the KL to the base is 0 before the first step, and a term in the loss keeps it small", async () => {
  const [free, held] = [await distances(0), await distances(3)];
  expect(free.measured[0]).toBeUndefined();
  expect(held.measured[0]).toBeLessThan(1e-9);
  expect(held.measured.at(-1)).toBeGreaterThan(0);
  expect(held.after).toBeLessThan(free.after / 2);
}, 60_000);

test("a recipe with a KL term and no base is refused", async () => {
  const engine = await tinyEngine();
  const recipe = edgeRecipeNamed("dr-grpo-tis", { klCoefficient: 0.02 });
  const options = { step: 0, band: 0.1, microbatchTokens: 4096, shuffleAdvantages: null };
  await expect(learnFrom(engine, recipe, GROUPS, options)).rejects.toMatchObject({
    code: "CAPABILITY_MISSING",
  });
  await engine.dispose();
});
