/**
 * Every recipe of the imitation table learns once, stage by stage, and shows the difference that
 * its paper describes; plain imitation of the same demonstrations fails each check.
 */
import { environmentNamed } from "@waggle/environments";
import { RECIPES, recipeNamed } from "@waggle/learning";
import { beforeAll, expect, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { ADAPTING_EXPECTATIONS } from "./adapting-expectations.fixture.ts";
import { DIVIDED_IMITATION_EXPECTATIONS } from "./divided-work-expectations.fixture.ts";
import { IMITATION_EXPECTATIONS } from "./imitation-expectations.fixture.ts";
import { DEMONSTRATION_EXPECTATIONS } from "./demonstration-expectations.fixture.ts";
import { ROLE_IMITATION_EXPECTATIONS } from "./role-expectations.fixture.ts";
import type { Expectation } from "./recipe-checks.fixture.ts";
import { PLAIN_SFT } from "./plain-recipes.fixture.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";
import { updateAlone } from "./update-alone.fixture.ts";

let acted: ActedEnvironment;
/** Plain imitation by environment: the control for which every check must fail. */
const plain = new Map<string, Promise<{ acted: ActedEnvironment; control: StageRecord[] }>>();

const EXPECTATIONS: { readonly [recipe: string]: Expectation } = {
  ...IMITATION_EXPECTATIONS,
  ...DEMONSTRATION_EXPECTATIONS,
  ...ADAPTING_EXPECTATIONS,
  ...ROLE_IMITATION_EXPECTATIONS,
  ...DIVIDED_IMITATION_EXPECTATIONS,
};

beforeAll(async () => {
  ({ acted } = await plainlyIn("calculator"));
});

function plainlyIn(env: string): Promise<{ acted: ActedEnvironment; control: StageRecord[] }> {
  const make = async (): Promise<{ acted: ActedEnvironment; control: StageRecord[] }> => {
    const spec = environmentNamed(env);
    const environment = await actedEnvironment(spec);
    // Stored failures and a success are always available to strategies that continue stored
    // trajectories.
    const ended = (success: boolean): ActedEnvironment["stored"] =>
      environment.stored.filter((trajectory) => trajectory.verification.success === success);
    const own = {
      ...environment,
      stored: [...ended(false).slice(0, 2), ...ended(true).slice(0, 1)],
    };
    return { acted: own, control: await updateAlone(PLAIN_SFT(), own) };
  };
  const environment = plain.get(env) ?? make();
  plain.set(env, environment);
  return environment;
}

const NAMES = [...RECIPES.values()]
  .filter((create) => create().literature.table === "imitation")
  .map(({ recipeName }) => recipeName);

/** `npm test` runs every third recipe. */
const TESTED = NAMES.map((name, i) => [name, i % 3 === 0] as const);

test.for(TESTED)("%s learns once in each of its stages", async ([name, isSampled], context) => {
  skipOutside(isSampled, context);
  const expectation = EXPECTATIONS[name];
  const { env = "calculator", settings, updates, seed, differs } = expectation ?? { differs: null };
  const { acted: own, control } = await plainlyIn(env);
  const records = await updateAlone(recipeNamed(name)(settings), own, updates, seed);
  for (const { update, moved } of records) {
    expect(update.learned).toBe(true);
    expect(Number.isFinite(update.metrics["loss"])).toBe(true);
    expect(moved).toBeGreaterThan(0);
  }
  for (const check of differs ?? []) {
    check(records);
    expect(() => check(control)).toThrow(/./);
  }
});

test.each([
  ["hft", /./, 0.5],
  ["loc-ft", /down_proj/, null],
  ["input-space", /layers\.0\.self_attn\.[qkv]_proj/, null],
] as const)("%s changes only the parameters that it names", async (name, pattern, share) => {
  const moved = async (sft: ReturnType<typeof PLAIN_SFT>): Promise<string[]> => {
    const engines = await tinyEngines();
    const before = await engines.engine.parameters();
    await updateOnce(sft, acted, engines);
    const after = await engines.engine.parameters();
    await engines.dispose();
    return [...before.keys()].filter((key) => {
      const [a, b] = [before.get(key)?.data ?? [], after.get(key)?.data ?? []];
      return a.some((value, i) => value !== b[i]);
    });
  };
  const chosen = await moved(recipeNamed(name)());
  const all = await moved(PLAIN_SFT());
  expect(chosen.length).toBeGreaterThan(0);
  expect(chosen.every((key) => pattern.test(key))).toBe(true);
  expect(chosen.length).toBeLessThan(share === null ? all.length : 0.7 * all.length);
  expect(all.every((key) => share === null && pattern.test(key))).toBe(false);
});

test("every recipe of the table has an expectation", () => {
  expect(Object.keys(EXPECTATIONS).toSorted()).toEqual(NAMES.toSorted());
});
