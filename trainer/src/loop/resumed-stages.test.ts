/**
 * Merging stages and stages at test time resume at their step: a run that is stopped after every step ends
 * like one that was never stopped.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { environmentNamed } from "@waggle/environments";
import { type Recipe, recipeNamed } from "@waggle/learning";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { skipOutside } from "../../../test/fixtures/long.ts";
import { openRunFolder, tensorsDigest } from "./run-folder.ts";
import { enginesOf } from "./run-keeping.ts";
import type { BaseModel } from "../model/base-model.ts";
import { openPolicy } from "../model/open-model.ts";
import { banditBase } from "../pretrain/bandit-base.fixture.ts";
import { openRecipeEngines, swapStrategy } from "./recipe-engines.ts";
import { runRecipe } from "./recipe-run.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { withFewerTasks } from "./short-run.fixture.ts";

const SHAPE = { rank: 2, alpha: 4 };
const SEED = 3;

let base: BaseModel;
beforeAll(async () => {
  base = await banditBase();
});

/** Runs one process's part of a run. @param stops - whether it stops after its first step */
async function life(recipe: Recipe, folder: string, stops: boolean): Promise<string | null> {
  let hasStepped = false;
  const runFolder = await openRunFolder({
    folder,
    settings: { recipe: recipe.name },
    resumes: true,
    every: 1,
    isStopping: () => stops && hasStepped,
  });
  const keeper: typeof runFolder.keeper = {
    ...runFolder.keeper,
    save: async (run) => {
      await runFolder.keeper.save(run);
      hasStepped ||= run.stepsDone > 0;
    },
  };
  const start = { ...SHAPE, seed: SEED };
  const engines = await openRecipeEngines(recipe, base, "cpu", start, { threads: 1 });
  const policy = await openPolicy(base, 1, undefined, swapStrategy(recipe));
  const events: RunEvent[] = [...(keeper.found?.events ?? [])];
  try {
    const result = await runRecipe(
      recipe,
      {
        ...engines,
        policy,
        format: base.format,
        adapterShape: SHAPE,
        spec: environmentNamed("bandit"),
      },
      { seed: SEED, evaluationTasks: 3, evaluateEvery: 0, steps: 2, keeper },
      (event) => events.push(event),
      new AbortController().signal,
    );
    const digests: string[] = [];
    for (const [, engine] of enginesOf(engines)) {
      digests.push(tensorsDigest((await engine.save()).tensors));
    }
    const { final, state } = result;
    return JSON.stringify({ digests, events, final, state }, (name, value: unknown) =>
      ["seconds", "id", "startedAt", "endedAt"].includes(name) ? undefined : value,
    );
  } catch (error) {
    if (error instanceof Error && error.message === "the run was stopped") return null;
    throw error;
  } finally {
    await engines.dispose();
    await policy.dispose();
  }
}

/** A merge, and a stage at test time; `npm run test:long` has the others. */
const SAMPLE: readonly string[] = ["model-breadcrumbs", "tt-si"];

test.for([
  ["model-breadcrumbs", 4],
  ["long-cat", 4],
  ["domain-adaptation", 12],
  ["tt-si", 6],
  ["adapt-agent", 8],
] as const)(
  "%s is stopped after each of its steps",
  { timeout: 120_000 },
  async ([name, steps], context) => {
    skipOutside(SAMPLE.includes(name), context);
    const folder = await mkdtemp(join(tmpdir(), "waggle-stages-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const full = recipeNamed(name)();
    const recipe = { ...full, stages: full.stages.map((stage) => withFewerTasks(stage, 3)) };
    const whole = await life(recipe, join(folder, "whole"), false);
    let [lives, last]: [number, string | null] = [0, null];
    while (last === null && lives < 20) {
      last = await life(recipe, join(folder, "part"), true);
      lives += 1;
    }
    expect(last).toBe(whole);
    expect(lives).toBe(steps + 1);
  },
);
