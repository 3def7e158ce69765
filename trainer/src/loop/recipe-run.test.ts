/** Budgets of a run, with a real engine and a scripted policy. */
import { environmentNamed } from "@waggle/environments";
import { recipeNamed } from "@waggle/learning";
import { expect, test } from "vitest";
import { runRecipe } from "./recipe-run.ts";
import type { RunOptions } from "./run-options.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { actedEnvironment, tinyEngines } from "../expectations/recipe-update.fixture.ts";

async function run(options: Partial<RunOptions>) {
  const { engine, reference } = await tinyEngines();
  const acted = await actedEnvironment(environmentNamed("bandit"));
  const parts = { ...acted, engine, resources: {}, adapterShape: { rank: 1, alpha: 1 } };
  const events: RunEvent[] = [];
  try {
    const result = await runRecipe(
      recipeNamed("artist")({ groupSize: 4 }),
      parts,
      { seed: 1, evaluationTasks: 2, evaluateEvery: 2, steps: 5, ...options },
      (event) => events.push(event),
      new AbortController().signal,
    );
    return { ...result, events };
  } finally {
    await engine.dispose();
    await reference.dispose();
  }
}

const evaluated = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.event === "evaluated" ? [event] : []));

test("if a budget ends a stage, the evaluation of its last step is reported", async () => {
  const whole = await run({});
  const [first] = whole.events.filter((event) => event.event === "step");
  // The budget ends in the third step; evaluations would be due after two and four.
  const sampledTokens = 2.5 * (first?.spent.sampledTokens ?? 0);
  const cut = await run({ budget: { sampledTokens, toolCalls: Number.MAX_SAFE_INTEGER } });
  expect(cut.events.filter((event) => event.event === "step")).toHaveLength(3);
  expect(evaluated(cut.events).map(({ step }) => step)).toEqual([0, 2, 3]);
  expect(cut.final).toBe(evaluated(cut.events).at(-1)?.heldOut);
  expect(evaluated(whole.events).map(({ step }) => step)).toEqual([0, 2, 4, 5]);
});
