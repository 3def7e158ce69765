/** A recipe of the catalogue whose rollouts go on while a real engine steps. */
import { environmentNamed } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import { expect, test } from "vitest";
import { runRecipe } from "./recipe-run.ts";
import type { RunEvent } from "./run-event.ts";
import { actedEnvironment, tinyEngines } from "../expectations/recipe-update.fixture.ts";

const OPTIONS = { seed: 1, evaluationTasks: 2, evaluateEvery: 2, steps: 4 };
const OVERLAP = { mostStaleness: 2, mostRunning: 6, swap: "turn" } as const;

async function run(name: string, signal: AbortSignal, onEvent: (event: RunEvent) => void) {
  const { engine, reference } = await tinyEngines();
  const acted = await actedEnvironment(environmentNamed("bandit"));
  const parts = { ...acted, engine, resources: {}, adapterShape: { rank: 1, alpha: 1 } };
  const recipe = recipeNamed(name)({ groupSize: 4 });
  try {
    await runRecipe(recipe, parts, { ...OPTIONS, overlap: OVERLAP }, onEvent, signal);
  } finally {
    await engine.dispose();
    await reference.dispose();
  }
}

test("every step is taken within the limit of lag, with evaluations where they are due", async () => {
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

test("who stops it in the middle of a step gets the reason back, with nothing left running", async () => {
  const stop = new AbortController();
  const stopped = run("polar", stop.signal, ({ event }) => {
    if (event === "step") stop.abort();
  });
  await expect(stopped).rejects.toThrow("aborted");
});
