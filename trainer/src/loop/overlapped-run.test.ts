/** Runs a recipe from the catalogue with rollouts that continue while a real engine steps. */
import { environmentNamed } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import { expect, test } from "vitest";
import type { RunKeeper, SavedRun } from "./run-keeping.ts";
import { runRecipe } from "./recipe-run.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { actedEnvironment, tinyEngines } from "../expectations/recipe-update.fixture.ts";

const OPTIONS = { seed: 1, evaluationTasks: 2, evaluateEvery: 2, steps: 4 };
const OVERLAP = { mostStaleness: 2, mostRunning: 6, swap: "turn" } as const;

async function run(
  name: string,
  signal: AbortSignal,
  onEvent: (event: RunEvent) => void,
  keeper?: RunKeeper,
) {
  const { engine, reference } = await tinyEngines();
  const acted = await actedEnvironment(environmentNamed("bandit"));
  const parts = { ...acted, engine, resources: {}, adapterShape: { rank: 1, alpha: 1 } };
  const recipe = recipeNamed(name)({ groupSize: 4 });
  try {
    await runRecipe(recipe, parts, { ...OPTIONS, overlap: OVERLAP, keeper }, onEvent, signal);
  } finally {
    await engine.dispose();
    await reference.dispose();
  }
}

test("every step respects the limit on staleness, and evaluations run when due", async () => {
  const events: RunEvent[] = [];
  await run("polar", new AbortController().signal, (event) => events.push(event));
  const steps = events.filter((event) => event.event === "step");
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4]);
  for (const { metrics } of steps) {
    expect(metrics["groups"]).toBe(12);
    expect(metrics["lagMost"]).toBeLessThanOrEqual(OVERLAP.mostStaleness);
    expect(Number.isFinite(metrics["loss"])).toBe(true);
  }
  expect(steps.some(({ metrics }) => (metrics["lagMost"] ?? 0) > 0)).toBe(true);
  const evaluated = events.flatMap((event) => (event.event === "evaluated" ? [event.step] : []));
  expect(evaluated).toEqual([0, 2, 4]);
});

test("an abort in the middle of a step rejects with its reason and leaves nothing running", async () => {
  const stop = new AbortController();
  const stopped = run("polar", stop.signal, ({ event }) => {
    if (event === "step") stop.abort();
  });
  await expect(stopped).rejects.toThrow("aborted");
});

test("a stopped run resumes after its last saved step", async () => {
  const { signal } = new AbortController();
  const events: RunEvent[] = [];
  let saved: SavedRun | null = null;
  const steps = (): number[] =>
    events.flatMap((event) => (event.event === "step" ? [event.step] : []));
  const keeper = (found: SavedRun | null): RunKeeper => ({
    found,
    every: 1,
    isStopping: () => found === null && steps().length >= 2,
    save: async (kept) => {
      saved = structuredClone(kept);
    },
  });
  await expect(run("polar", signal, (event) => events.push(event), keeper(null))).rejects.toThrow(
    "the run was stopped",
  );
  expect(saved).toMatchObject({ stepsDone: 2 });
  await run("polar", signal, (event) => events.push(event), keeper(saved));
  expect(steps()).toEqual([1, 2, 3, 4]);
  const [, , third] = events.flatMap((event) => (event.event === "step" ? [event] : []));
  expect(third?.spent.sampledTokens).toBeGreaterThan(0);
});
