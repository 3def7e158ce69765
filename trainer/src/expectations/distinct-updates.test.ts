/**
 * Recipes with different mechanisms make different models or texts in their own environments. Each
 * recipe runs alone on new engines, so only the recipe differs. The acting policy is scripted: recipes
 * that only sample differently are compared by their runs (`loop/short-run.test.ts`).
 */
import { type Recipe, recipeNamed, RECIPES, type Settings } from "@waggle/learning";
import { seededRandom } from "@waggle/protocol";
import { expect, test } from "vitest";
import { isLong, sampleSize } from "../../../test/fixtures/long.ts";
import { type ActedEnvironments, type Outcome, outcomeOf } from "./recipe-outcome.fixture.ts";

const acted: ActedEnvironments = new Map();

function updated(name: string, settings: Settings = {}): Promise<Outcome> {
  return outcomeOf(name, acted, { settings });
}

function metricOf({ records }: Outcome, name: string): number {
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

// Under `npm test`, entropy-preserving-clip.test.ts of the learning package has the threshold.
test.runIf(isLong())(
  "AEPO's entropy threshold decides which clipped tokens keep their gradient",
  async () => {
    const settings = { ...SEVERAL_STEPS, stopGradientClipLower: 1e-3, stopGradientClipUpper: 1e-3 };
    const all = await updated("aepo", { ...settings, entropyThreshold: 0 });
    const none = await updated("aepo", { ...settings, entropyThreshold: 1000 });
    expect(metricOf(all, "gradientNorm")).toBeGreaterThan(0);
    expect(all.digests).not.toEqual(none.digests);
  },
);

test("when progress is paid changes the adapter of every recipe that has this setting", async () => {
  const withSetting = [...RECIPES.values()].filter(
    (create) => create().choices["payment"] !== undefined && isGradients(create()),
  );
  const names = withSetting.map(({ recipeName }) => recipeName);
  expect(names).toEqual(expect.arrayContaining(["planner-r1", "logigen"]));
  const without: string[] = [];
  for (const name of isLong() ? names : ["planner-r1"]) {
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

/** Recipes that make the same thing, each with the reason. All but one of them are nominal. */
const TWINS: readonly { readonly names: readonly string[]; readonly why: string }[] = [
  {
    names: ["artist", "rft-instance-filter"],
    why: "the instance filter drops groups with equal rewards, as ARTIST's does here; rounds over several environments need one base for all",
  },
  {
    names: ["asearcher", "polar", "verl-tool"],
    why: "what they add is scheduling: long rollouts, any harness, single requests; the update is GRPO on stale rollouts",
  },
  {
    names: ["webdancer", "env-factory"],
    why: "they differ in where tasks and demonstrations come from, and both get those of the environment",
  },
  {
    names: ["t3-agent", "search-swarm"],
    why: "every success of the demonstrator has readable turns and a call, so the second verifier drops nothing",
  },
];

const NAMES = [...RECIPES.keys()];

/** Half of the groups under `npm test`. */
const COMPARED_TWINS = TWINS.filter((_, i) => isLong() || i % 2 === 0);

/** Known twins, recipes with different kinds of updates, and two drawn with a fixed seed. */
function sample(): readonly string[] {
  const random = seededRandom(14);
  const drawn = NAMES.map((name) => ({ name, draw: random() })).toSorted((a, b) => a.draw - b.draw);
  return [
    ...new Set([
      ...COMPARED_TWINS.flatMap(({ names }) => names),
      "greedy-agents",
      "thumbs-kto",
      "openclaw-rl",
      "evolution-strategies",
      "adas",
      ...drawn.slice(0, 2).map(({ name }) => name),
    ]),
  ];
}

/**
 * Groups of `names` with equal outcomes on every seed. One seed's tasks may not activate a mechanism.
 * One recipe runs at a time: they share the environments.
 */
async function alike(names: readonly string[], seeds: readonly number[]): Promise<string[][]> {
  const [seed, ...others] = seeds;
  if (seed === undefined) return [[...names]];
  const equal = new Map<string, string[]>();
  for (const name of names) {
    const { digests, environment } = await outcomeOf(name, acted, { seed });
    const key = `${environment} ${JSON.stringify(digests)}`;
    equal.set(key, [...(equal.get(key) ?? []), name]);
  }
  const groups: string[][] = [];
  for (const group of equal.values()) {
    if (group.length > 1) groups.push(...(await alike(group, others)));
  }
  return groups;
}

test(
  "no two papers make the same model or text, except for a written list of nominal twins",
  async () => {
    const groups = await alike(isLong() ? NAMES : sample(), [1, 2, 3].slice(0, sampleSize(2, 3)));
    const sorted = (all: readonly (readonly string[])[]): Set<string> =>
      new Set(all.map((names) => names.toSorted().join(" ")));
    // Every listed group is found: two equal recipes are detected.
    expect(sorted(groups)).toEqual(sorted(COMPARED_TWINS.map(({ names }) => names)));
    const unsaid = groups.filter(
      (names) => names.filter((name) => recipeNamed(name)().mechanism !== "nominal").length > 1,
    );
    expect(unsaid).toEqual([]);
  },
  isLong() ? 3_600_000 : 240_000,
);
