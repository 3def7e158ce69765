/** Training on a test task affects only that task's rollout. */
import { environmentNamed } from "@waggle/environments";
import { recipeNamed, type Stage } from "@waggle/learning";
import type { TensorMap } from "@waggle/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runRecipe } from "./recipe-run.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  tinyEngines,
} from "../expectations/recipe-update.fixture.ts";
import { atTestTime, testTimeOf } from "./test-time.ts";

let engines: Awaited<ReturnType<typeof tinyEngines>>;
let acted: ActedEnvironment;

beforeAll(async () => {
  engines = await tinyEngines();
  acted = await actedEnvironment(environmentNamed("bandit"));
});
afterAll(async () => {
  await engines.dispose();
});

const flat = (parameters: TensorMap): number[] =>
  [...parameters.values()].flatMap(({ data }) => Array.from(data.subarray(0, 50)));

async function nudge(): Promise<void> {
  const { engine } = engines;
  const batch = { sequences: [{ tokenIds: [1, 2, 3] }] };
  await engine.backward(batch, { logProb: [Float32Array.of(0, -1, -1)] });
  await engine.optimStep({ learningRate: 1e-2 });
}

test("every group starts from the same parameters, which are restored at the end", async () => {
  const { engine } = engines;
  const start = flat(await engine.parameters());
  const learned: number[][] = [];
  const seen: number[][] = [];
  const results = await atTestTime(engine, ["a", "b", "aa", "c"], (task) => task.length, {
    steps: 1,
    collect: async (tasks) => tasks,
    learn: async (tasks) => {
      learned.push(flat(await engine.parameters()));
      if (tasks.includes("aa")) return false;
      await nudge();
      return true;
    },
    rollout: async (tasks) => {
      seen.push(flat(await engine.parameters()));
      return tasks.map((task) => task.toUpperCase());
    },
  });
  expect(results).toEqual(["A", "B", "AA", "C"]);
  expect(learned).toEqual([start, start]);
  expect(seen[0]).not.toEqual(start);
  expect(seen[1]).toEqual(start);
  expect(flat(await engine.parameters())).toEqual(start);
});

test.each(["tt-si", "adapt-agent"])("%s: a run ends with its initial parameters", async (name) => {
  const { engine } = engines;
  const recipe = recipeNamed(name)();
  const stages = recipe.stages.filter((stage: Stage) => testTimeOf(stage) !== null);
  const before = flat(await engine.parameters());
  const from = acted.adopted.length;
  const { final } = await runRecipe(
    { ...recipe, stages },
    { ...acted, engine, resources: {}, adapterShape: { rank: 1, alpha: 1 } },
    { seed: 1, evaluationTasks: 4, evaluateEvery: 0, steps: 1 },
    () => {},
    new AbortController().signal,
  );
  expect(final.successes).toHaveLength(4);
  expect(flat(await engine.parameters())).toEqual(before);
  // The policy had task-specific parameters, which differed between tasks.
  const sums = new Set(acted.adopted.slice(from + 1).map(({ sum }) => sum));
  expect(sums.size).toBeGreaterThan(name === "tt-si" ? 3 : 1);
});
