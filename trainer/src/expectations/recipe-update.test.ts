/**
 * Every staged recipe learns once, stage by stage, and shows the difference that its paper
 * describes.
 */
import { environmentNamed } from "@waggle/environments";
import { RECIPES, recipeNamed } from "@waggle/learning";
import { expect, test } from "vitest";
import type { Expectation } from "./recipe-checks.fixture.ts";
import { EXPECTATIONS } from "./recipe-expectations.fixture.ts";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import { PLAIN_GRPO } from "./plain-recipes.fixture.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
  tinyEngines,
} from "./recipe-update.fixture.ts";
import { updateAlone } from "./update-alone.fixture.ts";

const acted = new Map<string, Promise<ActedEnvironment>>();
/** Plain GRPO by environment: the control for which every check must fail. */
const plain = new Map<string, Promise<StageRecord[]>>();

/** The other tables use plain imitation as their control, in tests of their own. */
const POLICY_GRADIENT = [...RECIPES.values()]
  .filter((create) => create().literature.table === "policy-gradient")
  // Recipes that end in a merge are tested in `merging-update.test.ts`.
  .filter((create) => create().stages.every(({ merging }) => merging === null))
  .map(({ recipeName }) => recipeName);

function actedIn(env: string): Promise<ActedEnvironment> {
  const spec = environmentNamed(env);
  const environment = acted.get(env) ?? actedEnvironment(spec);
  acted.set(env, environment);
  return environment;
}

async function updated(
  name: string,
  { env = "calculator", settings = {}, updates = 1, seed = 1 }: Partial<Expectation>,
): Promise<StageRecord[]> {
  return updateAlone(recipeNamed(name)(settings), await actedIn(env), updates, seed);
}

async function updatedPlainly({ env = "calculator" }: Expectation): Promise<StageRecord[]> {
  const records = plain.get(env) ?? updateAlone(PLAIN_GRPO(), await actedIn(env));
  plain.set(env, records);
  return records;
}

/** `npm test` runs every sixth recipe. */
const TESTED = POLICY_GRADIENT.map((name, i) => [name, i % 6 === 0] as const);

test.for(TESTED)("%s learns once in each of its stages", async ([name, isSampled], context) => {
  skipOutside(isSampled, context);
  const expectation = EXPECTATIONS[name];
  const records = await updated(name, expectation ?? {});
  for (const record of records) {
    const learned = [...record.earlier, record].filter(({ update }) => update.learned);
    expect(learned.length).toBeGreaterThan(0);
    for (const { update, moved } of learned) {
      expect(Number.isFinite(update.metrics["loss"])).toBe(true);
      expect(moved).toBeGreaterThan(0);
    }
  }
  if (expectation === undefined || expectation.differs === null) return;
  const { differs } = expectation;
  const control = await updatedPlainly(expectation);
  for (const check of differs) {
    check(records);
    expect(() => check(control)).toThrow(/./);
  }
});

/** The versions of the policy at each of four steps, without those of held-out evaluations. */
async function adoptedBy(staleness: number): Promise<number[]> {
  const spec = await actedIn("bandit");
  const engines = await tinyEngines();
  const from = spec.adopted.length;
  const run = {
    ...spec,
    engine: engines.engine,
    resources: {},
    adapterShape: { rank: 1, alpha: 1 },
  };
  const options = { seed: 1, evaluationTasks: 0, evaluateEvery: 0, steps: 4 };
  const signal = new AbortController().signal;
  await runRecipe(
    recipeNamed("polar")({ groupSize: 4, lag: staleness }),
    run,
    options,
    () => {},
    signal,
  );
  await engines.dispose();
  return spec.adopted.slice(from + 1).map(({ sum }) => sum);
}

test.each([1, 2])(
  "a policy with staleness %i samples from the parameters that many updates ago",
  async (staleness) => {
    const sums = await adoptedBy(staleness);
    const [newest] = sums.slice(-1);
    const steps = sums.slice(0, -1);
    // The first steps use the initial parameters; each later step uses one more update.
    expect(new Set(steps.slice(0, 1 + staleness)).size).toBe(1);
    expect(new Set([...steps.slice(staleness), newest]).size).toBe(steps.length - staleness + 1);
  },
);

test("a policy without staleness samples from the newest parameters", async () => {
  const sums = await adoptedBy(0);
  expect(new Set(sums).size).toBe(sums.length);
});

test("every recipe of the policy-gradient table has an expectation", () => {
  expect(Object.keys(EXPECTATIONS).toSorted()).toEqual(POLICY_GRADIENT.toSorted());
});
