/**
 * Recipes with different mechanisms end with different parameters after the same updates. Each
 * update starts on a new engine, so only the recipe differs. The acting policy is scripted: recipes
 * that only sample differently are compared by their runs (`loop/short-run.test.ts`).
 */
import { environmentNamed } from "@waggle/environments";
import { type Recipe, recipeNamed, RECIPES, type Settings } from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { isLong } from "../../../test/fixtures/long.ts";
import { tensorsDigest } from "../checkpoint/run-folder.ts";
import { recipePlace } from "../recipes/recipe-places.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";

/** Updates per stage: data stored by one update shows in the next. */
const UPDATES = 3;

const acted = new Map<string, Promise<ActedEnvironment>>();

type Updated = {
  readonly records: readonly StageRecord[];
  /** Digest of each trained model's parameters, by name. */
  readonly digests: { readonly [model: string]: string };
};

function environmentOf(name: string): string {
  return recipePlace(recipeNamed(name)()).environment;
}

async function updated(name: string, settings: Settings = {}, seed = 1): Promise<Updated> {
  const place = environmentOf(name);
  const environment = acted.get(place) ?? actedEnvironment(environmentNamed(place));
  acted.set(place, environment);
  const engines = await tinyEngines();
  try {
    const recipe = recipeNamed(name)(settings);
    const records = await updateOnce(recipe, await environment, engines, UPDATES, seed);
    const digests: { [model: string]: string } = {};
    for (const [model, engine] of [["policy", engines.engine] as const, ...engines.models]) {
      digests[model] = tensorsDigest(await engine.parameters());
    }
    return { records, digests };
  } finally {
    await engines.dispose();
  }
}

function metricOf({ records }: Updated, name: string): number {
  return records.at(-1)?.update.metrics[name] ?? Number.NaN;
}

/** Four optimizer steps on each batch. */
const SEVERAL_STEPS = { epochs: 2, minibatches: 2, learningRate: 3e-2 };

test("clips at 1e-6 and at 0.2 give different adapters if a batch takes several steps", async () => {
  const narrow = await updated("artist", { ...SEVERAL_STEPS, epsilon: 1e-6 });
  const wide = await updated("artist", { ...SEVERAL_STEPS, epsilon: 0.2 });
  expect(metricOf(narrow, "clipFraction")).toBeGreaterThan(0);
  expect(metricOf(narrow, "importanceRatioMean")).not.toBe(1);
  expect(narrow.digests).not.toEqual(wide.digests);
  // Control: the same recipe on another engine gives the same adapter.
  expect((await updated("artist", { ...SEVERAL_STEPS, epsilon: 0.2 })).digests).toEqual(
    wide.digests,
  );
});

test("with one step on a batch no clip is active: every ratio is 1 and the adapters are equal", async () => {
  const narrow = await updated("artist", { epsilon: 1e-6 });
  const wide = await updated("artist", { epsilon: 0.2 });
  expect(metricOf(wide, "gradientNorm")).toBeGreaterThan(0);
  expect(metricOf(narrow, "importanceRatioMean")).toBe(1);
  expect(metricOf(narrow, "clipFraction")).toBe(0);
  expect(narrow.digests).toEqual(wide.digests);
});

test("AEPO's entropy threshold decides which clipped tokens keep their gradient", async () => {
  const settings = { ...SEVERAL_STEPS, stopGradientClipLower: 1e-3, stopGradientClipUpper: 1e-3 };
  const all = await updated("aepo", { ...settings, entropyThreshold: 0 });
  const none = await updated("aepo", { ...settings, entropyThreshold: 1000 });
  expect(metricOf(all, "gradientNorm")).toBeGreaterThan(0);
  expect(all.digests).not.toEqual(none.digests);
});

test("when progress is paid changes the adapter of every recipe that has this setting", async () => {
  const withSetting = [...RECIPES.values()].filter(
    (create) => create().choices["payment"] !== undefined && isGradients(create()),
  );
  const names = withSetting.map(({ recipeName }) => recipeName);
  expect(names).toEqual(expect.arrayContaining(["planner-r1", "logigen"]));
  const without: string[] = [];
  for (const name of names) {
    const perTurn = await updated(name, { payment: "turn" });
    const atTheEnd = await updated(name, { payment: "trajectory" });
    if (JSON.stringify(perTurn.digests) === JSON.stringify(atTheEnd.digests)) without.push(name);
  }
  expect(without).toEqual([]);
  // Control: group advantages read only the total, so these recipes have no such setting.
  for (const name of ["embodied-r1", "se-gui", "environment-tuning", "duration-aware"]) {
    expect(recipeNamed(name)().choices["payment"]).toBeUndefined();
  }
}, 180_000);

/** Recipes that only learn by gradients, in the tables that these updates support. */
function isGradients({ stages, literature }: Recipe): boolean {
  return (
    literature.table !== "feedback" &&
    stages.every(
      ({ merging, evolution, losses }) =>
        merging === null && evolution === null && losses.length > 0,
    )
  );
}

const NAMES = [...RECIPES.values()]
  .filter((create) => isGradients(create()))
  .map((c) => c.recipeName);

/** Two recipes that declare the same mechanism, and ten drawn with a fixed seed. */
function sample(): readonly string[] {
  const random = seededRandom(14);
  const drawn = NAMES.map((name) => ({ name, draw: random() })).toSorted((a, b) => a.draw - b.draw);
  return ["fusion-agent", "agent-gl", ...drawn.slice(0, 10).map(({ name }) => name)];
}

/**
 * Groups of `names` with equal updates on every seed. One seed's tasks may not activate a
 * mechanism.
 */
async function alike(names: readonly string[], seeds: readonly number[]): Promise<string[][]> {
  const [seed, ...others] = seeds;
  if (seed === undefined) return [[...names]];
  const equal = new Map<string, string[]>();
  for (const name of names) {
    const { digests } = await updated(name, {}, seed);
    const key = `${environmentOf(name)} ${JSON.stringify(digests)}`;
    equal.set(key, [...(equal.get(key) ?? []), name]);
  }
  const groups = [...equal.values()].filter((group) => group.length > 1);
  return (await Promise.all(groups.map((group) => alike(group, others)))).flat();
}

test(
  "no two papers give the same adapter, except for recipes whose mechanism is nominal",
  async () => {
    const groups = await alike(isLong() ? NAMES : sample(), [1, 2, 3]);
    // Of a group of equal recipes, all but one must declare their mechanism as nominal.
    const unsaid = groups.filter(
      (names) => names.filter((name) => recipeNamed(name)().mechanism !== "nominal").length > 1,
    );
    expect(unsaid).toEqual([]);
    // Control: two equal recipes are detected.
    expect(groups.find((names) => names.includes("fusion-agent"))).toContain("agent-gl");
  },
  isLong() ? 3_600_000 : 120_000,
);
