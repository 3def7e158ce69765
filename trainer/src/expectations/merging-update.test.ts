/** Every merging recipe: members are trained from one start, and the merge follows its paper. */
import { environmentNamed } from "@waggle/environments";
import { RECIPES, recipeNamed } from "@waggle/learning";
import type { Stage } from "@waggle/learning";
import { orthogonalized } from "../../../packages/learning/src/merging/orthogonal.ts";
import type { Tensor, TensorMap } from "@waggle/protocol";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { setParameters } from "../update/engine-parameters.ts";
import { mergeMembers } from "../update/merge-update.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";

let engines: Awaited<ReturnType<typeof tinyEngines>>;
let acted: ActedEnvironment;

beforeAll(async () => {
  acted = await actedEnvironment(environmentNamed("calculator"));
});
beforeEach(async () => {
  engines = await tinyEngines();
});
afterEach(() => engines.dispose());

type Merged = { deltas: readonly TensorMap[]; change: (name: string, i: number) => number };

async function merged(name: string): Promise<Merged> {
  const { engine } = engines;
  const recipe = recipeNamed(name)();
  const { merging } = recipe.stages.at(-1) as Stage;
  if (merging === null) throw new Error(`${name} merges nothing`);
  const start = await engine.parameters();
  const learn = (stages: readonly Stage[]): Promise<unknown> =>
    updateOnce({ ...recipe, stages }, acted, engines);
  const evaluate = () => Promise.reject(new Error("nothing is rewarded without a gate"));
  const { deltas } = await mergeMembers(engine, merging, { learn, evaluate, random: () => 0.5 });
  const after = await engine.parameters();
  const change = (tensor: string, i: number): number =>
    (after.get(tensor)?.data[i] ?? 0) - (start.get(tensor)?.data[i] ?? 0);
  return { deltas, change };
}

/** The expected merge, entry by entry, of the members' changes. */
const RULES: { readonly [recipe: string]: (values: readonly number[]) => number } = {
  "long-cat": (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
  past: (values) => values.reduce((sum, value) => sum + value, 0),
  "composable-sparse": (values) => values.reduce((sum, value) => sum + value, 0),
  "model-ratatouille": (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
};

function entries({ deltas }: Merged): { name: string; i: number; values: number[] }[] {
  return [...(deltas[0] ?? new Map())].flatMap(([name, { data }]) =>
    Array.from(data as Float32Array, (_, i) => ({
      name,
      i,
      values: deltas.map((delta) => delta.get(name)?.data[i] ?? 0),
    })),
  );
}

test.each(Object.keys(RULES))("%s merges as its paper describes", async (name) => {
  const result = await merged(name);
  const all = entries(result);
  for (const delta of [0, 1]) expect(all.some(({ values }) => values[delta] !== 0)).toBe(true);
  const rule = RULES[name] as (values: readonly number[]) => number;
  const error = Math.max(
    ...all.map((entry) => Math.abs(result.change(entry.name, entry.i) - rule(entry.values))),
  );
  expect(error).toBeLessThan(1e-6);
  // No member equals the result.
  expect(all.some((entry) => Math.abs(rule(entry.values) - (entry.values[0] ?? 0)) > 1e-5)).toBe(
    true,
  );
});

test("composable sparse changes do not overlap", async () => {
  const all = entries(await merged("composable-sparse"));
  expect(all.some(({ values: [a, b] }) => a !== 0 && b !== 0)).toBe(false);
});

test("breadcrumbs removes the tails of each change", async () => {
  const result = await merged("model-breadcrumbs");
  const all = entries(result);
  const changed = all.filter(({ name, i }) => Math.abs(result.change(name, i)) > 1e-9);
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.length).toBeLessThan(0.3 * all.length);
});

test("RAM averages entries that both changed and scales entries that one changed", async () => {
  const result = await merged("ram");
  const all = entries(result);
  const both = all.filter(({ values }) => values.every((value) => Math.abs(value) > 2e-5));
  expect(both.length).toBeGreaterThan(0);
  for (const { name, i, values } of both.slice(0, 500)) {
    expect(result.change(name, i)).toBeCloseTo(((values[0] ?? 0) + (values[1] ?? 0)) / 2, 6);
  }
});

test("low-rank continual learning changes one kind of matrix, and a later task nothing along an earlier one", async () => {
  const { deltas } = await merged("low-rank-continual");
  const whole = deltas.map((delta) => [...delta].filter(([, { data }]) => data.some(Boolean)));
  for (const changed of whole) {
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.every(([name]) => name.includes("self_attn"))).toBe(true);
  }
  const dot = (a: Tensor, b: Tensor): number =>
    a.data.reduce((sum, value, i) => sum + value * (b.data[i] ?? 0), 0);
  const cosine = (maps: readonly TensorMap[], name: string): number => {
    const [a, b] = maps.map((map) => map.get(name) as Tensor) as [Tensor, Tensor];
    return Math.abs(dot(a, b)) / Math.sqrt(dot(a, a) * dot(b, b));
  };
  const names = whole[0]?.map(([name]) => name) ?? [];
  expect(names.some((name) => cosine(deltas, name) > 1e-3)).toBe(true);
  expect(names.every((name) => cosine(orthogonalized(deltas), name) < 1e-5)).toBe(true);
});

test("domain adaptation merges two chains of text, demonstrations and pairs by spherical interpolation", async () => {
  const stages = recipeNamed("domain-adaptation")().stages;
  const chains = stages.at(-1)?.merging?.members ?? [];
  expect(chains.map((chain) => chain.map(({ learns }) => learns))).toEqual([
    ["tokens", "tokens", "pairs"],
    ["tokens", "tokens", "pairs"],
  ]);
  expect(chains.map((chain) => chain.at(-1)?.losses[0]?.loss.part)).toEqual(["dpo", "orpo"]);
  const result = await merged("domain-adaptation");
  const all = entries(result);
  expect(all.some(({ values: [a = 0, b = 0] }) => Math.abs(a - b) > 1e-5)).toBe(true);
  // For models this close, the midpoint of the arc is nearly the mean.
  const error = Math.max(
    ...all.map(({ name, i, values }) =>
      Math.abs(result.change(name, i) - ((values[0] ?? 0) + (values[1] ?? 0)) / 2),
    ),
  );
  expect(error).toBeLessThan(0.01);
});

test.each([
  { rates: [0.5, 0.8, 0.7], isTaken: false },
  { rates: [0.5, 0.8, Number.NaN], isTaken: false },
  { rates: [0.5, 0.8, 0.8], isTaken: true },
])("a gate keeps the better member if the merge is worse: $rates", async ({ rates, isTaken }) => {
  const { engine } = engines;
  const { merging } = recipeNamed("model-ratatouille")().stages.at(-1) as Stage;
  if (merging === null) throw new Error("nothing is merged");
  const gate = { tasks: 7, share: 0.2 };
  const start = await engine.parameters();
  const asked: unknown[] = [];
  const held: TensorMap[] = [];
  const steps = [0.25, 0.5];
  const result = await mergeMembers(
    engine,
    { ...merging, members: merging.members.slice(0, 2), gate },
    {
      learn: async () => {
        const by = steps[held.length] ?? 0;
        const moved = new Map(
          [...start].map(([name, { shape, data }]) => [
            name,
            { shape, data: data.map((value) => value + by) },
          ]),
        );
        held.push(moved);
        await setParameters(engine, moved);
      },
      evaluate: async (given) => {
        asked.push(given);
        return rates[asked.length - 1] ?? 0;
      },
      random: () => 0.5,
    },
  );
  expect(asked).toEqual([gate, gate, gate]);
  expect(result.isTaken).toBe(isTaken);
  const [name = ""] = start.keys();
  const change = (await engine.parameters()).get(name)?.data[0] ?? 0;
  expect(change - (start.get(name)?.data[0] ?? 0)).toBeCloseTo(isTaken ? 0.375 : 0.5, 5);
});

test("every recipe that ends in a merge is tested here", () => {
  const names = [...RECIPES.values()]
    .filter((create) => create().stages.some(({ merging }) => merging !== null))
    .map(({ recipeName }) => recipeName);
  const looked = ["model-breadcrumbs", "ram", "low-rank-continual", "domain-adaptation"];
  expect([...Object.keys(RULES), ...looked].toSorted()).toEqual(names.toSorted());
});
