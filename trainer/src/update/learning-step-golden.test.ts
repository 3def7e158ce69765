/**
 * The learning step gives the same numbers as before the updates of the loop and of `npm run train`
 * were unified. `learning-step.golden.json` was written by the earlier step (its own recipe format,
 * losses and passes per microbatch) on the same groups, at commit c160b08.
 */
import { constantRate } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { expect, test } from "vitest";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import golden from "./learning-step.golden.json" with { type: "json" };
import { type LearnableGroup, learnableTrajectory } from "../check/learnable-group.ts";
import { seededRandom } from "@waggle/protocol";
import { learnFrom, randomTrajectory, tinyEngine } from "../edge-training/training.fixture.ts";

const REWARDS = [0, 1, 0.25, 1];

/** Recorded log-probs are those of a uniform policy plus noise; re-scored ones are 0.04 higher. */
const groups: readonly LearnableGroup[] = [0, 1, 2].map((g) => ({
  task: `task ${g}`,
  trajectories: REWARDS.map((reward, i) => {
    const drawn = randomTrajectory(10 * g + i);
    const random = seededRandom(7, g, i);
    const noise = drawn.segments.map(({ kind, tokenIds }) =>
      kind === "sampled" ? tokenIds.map(() => 0.3 * (random() - 0.5)) : [],
    );
    const trajectory = {
      ...drawn,
      segments: drawn.segments.map((segment, at) =>
        segment.kind === "sampled"
          ? {
              ...segment,
              behaviorLogProbs: segment.behaviorLogProbs.map(
                (value, t) => value + (noise[at]?.[t] ?? 0),
              ),
            }
          : segment,
      ),
    };
    const verification = { reward, success: reward === 1, parts: {} };
    const learnable = learnableTrajectory(drawn.id, trajectory, verification, g);
    return {
      ...learnable,
      rescoredLogProbs: learnable.rescoredLogProbs.map((row) => row.map((value) => value + 0.04)),
    };
  }),
}));

/**
 * The norm of each gradient and its projection on seeded signs, which tells gradients of the same norm
 * apart.
 */
function summaryOf(gradients: TensorMap): { [name: string]: readonly number[] } {
  const summaries = [...gradients].map(([name, { data }]) => {
    const random = seededRandom(data.length);
    let [square, projection] = [0, 0];
    for (const value of data) {
      square += value * value;
      projection += value * (random() < 0.5 ? -1 : 1);
    }
    return [
      name.replace(/^.*layers\.0\.|\.weight$/g, ""),
      [Math.sqrt(square), projection],
    ] as const;
  });
  return Object.fromEntries(
    summaries.filter(([, numbers]) => numbers.some((value) => value !== 0)),
  );
}

/** Metrics that the earlier step did not measure. */
const LATER: ReadonlySet<string> = new Set(["mismatchK3"]);

function largestDifference(
  actual: { readonly [name: string]: number | readonly number[] },
  expected: typeof actual,
): number {
  const known = Object.keys(actual).filter((name) => !LATER.has(name));
  expect(known.toSorted()).toEqual(Object.keys(expected).toSorted());
  const flat = (numbers: typeof actual): number[] =>
    Object.keys(expected).flatMap((name) => numbers[name] ?? Number.NaN);
  const wanted = flat(expected);
  return Math.max(...flat(actual).map((value, i) => Math.abs(value - (wanted[i] ?? Number.NaN))));
}

const OPTIONS = { step: 0, band: 0.05, microbatchTokens: 40, shuffleAdvantages: null };

test.each(
  golden.cases.map(
    (one) => [`${one.recipe} ${one.entropyCoefficient} ${one.epochs}`, one] as const,
  ),
)(
  "%s: loss, metrics and gradients equal those of the earlier step",
  async (_, { recipe, entropyCoefficient, epochs, metrics, gradients }) => {
    const engine = await tinyEngine();
    let last: TensorMap = new Map();
    const observed: TrainEngine = {
      capabilities: () => engine.capabilities(),
      forward: (batch) => engine.forward(batch),
      backward: (batch, derivatives) => engine.backward(batch, derivatives),
      optimStep: async (step) => {
        last = await engine.gradients();
        return engine.optimStep(step);
      },
      gradients: () => engine.gradients(),
      parameters: () => engine.parameters(),
      save: () => engine.save(),
      load: (checkpoint) => engine.load(checkpoint),
      dispose: () => engine.dispose(),
    };
    const learningRate = constantRate(0.05);
    const edgeRecipe = edgeRecipeNamed(recipe, { learningRate, epochs, entropyCoefficient });
    const step = await learnFrom(observed, edgeRecipe, groups, OPTIONS);
    await engine.dispose();
    expect(largestDifference(step.metrics, metrics)).toBeLessThan(1e-6);
    expect(largestDifference(summaryOf(last), gradients as never)).toBeLessThan(1e-6);
    const expected = golden.advantages[recipe as keyof typeof golden.advantages];
    for (const [i, advantage] of [...step.advantages.values()].entries()) {
      expect(advantage).toBeCloseTo(expected[i % 4] ?? Number.NaN, 8);
    }
  },
);

test("another clip range or another weight cap changes the numbers", async () => {
  const wanted = golden.cases.find(
    ({ recipe, epochs }) => recipe === "dr-grpo-tis" && epochs === 3,
  );
  const engine = await tinyEngine();
  const learningRate = constantRate(0.05);
  const edgeRecipe = edgeRecipeNamed("grpo", { learningRate, epochs: 3 });
  const { metrics } = await learnFrom(engine, edgeRecipe, groups, OPTIONS);
  await engine.dispose();
  expect(largestDifference(metrics, wanted?.metrics ?? {})).toBeGreaterThan(1e-3);
});

test("the control shuffles the same advantages", async () => {
  const engine = await tinyEngine();
  const edgeRecipe = edgeRecipeNamed("dr-grpo-tis");
  const dealt = { ...OPTIONS, shuffleAdvantages: seededRandom(3, 1) };
  const { advantages } = await learnFrom(engine, edgeRecipe, groups, dealt);
  await engine.dispose();
  expect([...advantages.values()]).toEqual(golden.shuffled);
});
