/**
 * A short run of any listed recipe in its own environment, on a small base that is pretrained in
 * seconds. Engine and sampler are real; only the model that writes texts is scripted. Tests only.
 */
import { join } from "node:path";
import { recipeNamed, type Settings, type Stage } from "@waggle/learning";
import { initializeAdapter } from "@waggle/model";
import { tensorsDigest } from "./run-folder.ts";
import { PolicyCache } from "../model/policy-cache.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../pretrain/environment-base.ts";
import { requireEnvironment } from "../recipes/environment-requirements.ts";
import { openRecipeEngines, swapStrategy } from "./recipe-engines.ts";
import { recipeEnvironment } from "../recipes/recipe-places.ts";
import { runRecipe } from "./recipe-run.ts";
import type { RunResult } from "./run-options.ts";
import type { RunEvent } from "../metrics/run-event.ts";
import { scriptedWriter } from "../expectations/scripted-writer.fixture.ts";

const SMALL_BASE = { ...ENVIRONMENT_BASE, steps: 150, batchSize: 24, width: 32, layers: 2 };
const ADAPTER = { rank: 4, alpha: 8 };

export type ShortRunOptions = {
  /** Folder for the small bases, by environment. */
  readonly bases: string;
  /** Steps per stage. Default 2. */
  readonly steps?: number;
  readonly seed?: number;
  /** Most tasks per step; default the recipe's own number. */
  readonly tasks?: number;
  /** Steps of pretraining of the small bases. Default 150, which is enough to solve some tasks. */
  readonly baseSteps?: number;
  /** Besides those of the recipe. */
  readonly settings?: Settings;
};

export type ShortRun = RunResult & {
  readonly events: readonly RunEvent[];
  /** Of the parameters of every model that the recipe trains, by its name. */
  readonly digests: { readonly [model: string]: string };
};

/** @throws the error with which the command line would end. */
export async function shortRun(
  name: string,
  policies: PolicyCache,
  {
    bases,
    steps = 2,
    seed = 1,
    tasks = Number.POSITIVE_INFINITY,
    baseSteps = SMALL_BASE.steps,
    settings = {},
  }: ShortRunOptions,
): Promise<ShortRun> {
  const whole = recipeNamed(name)(settings);
  const recipe = { ...whole, stages: whole.stages.map((stage) => withFewerTasks(stage, tasks)) };
  const { signal } = new AbortController();
  const spec = recipeEnvironment(recipe);
  await requireEnvironment(recipe, spec);
  const small = { ...SMALL_BASE, steps: baseSteps };
  const model = await environmentBase(spec, join(bases, spec.name), small, {
    onProgress: () => {},
    signal,
  });
  const policy = await policies.take(model, swapStrategy(recipe));
  const writer = scriptedWriter();
  const judge = {
    reward: async ({ transcript, rubric = "" }: { transcript: string; rubric?: string }) =>
      ((transcript.length + rubric.length) % 7) / 7,
  };
  const teacher = initializeAdapter(model.config, { ...ADAPTER, seed: 7 });
  const engines = await openRecipeEngines(
    recipe,
    model,
    "cpu",
    { ...ADAPTER, seed },
    { threads: 1, teacher },
  );
  const events: RunEvent[] = [];
  try {
    const result = await runRecipe(
      recipe,
      {
        ...engines,
        policy,
        format: model.format,
        spec,
        adapterShape: ADAPTER,
        ports: { writer, judge },
      },
      { seed, evaluationTasks: 4, evaluateEvery: 0, steps },
      (event) => events.push(event),
      signal,
    );
    const digests: { [model: string]: string } = {};
    const models = [["policy", engines.engine] as const, ...(engines.resources.models ?? [])];
    for (const [model, engine] of models) digests[model] = tensorsDigest(await engine.parameters());
    return { ...result, events, digests };
  } finally {
    await engines.dispose();
  }
}

/** The stage, and the members of a merge, with at most `most` tasks per step. */
export function withFewerTasks(stage: Stage, most: number): Stage {
  const { settings, merging } = stage;
  return {
    ...stage,
    settings: { ...settings, tasksPerStep: Math.min(settings.tasksPerStep, most) },
    merging:
      merging === null
        ? null
        : {
            ...merging,
            members: merging.members.map((member) =>
              member.map((each) => withFewerTasks(each, most)),
            ),
          },
  };
}

export function smallPolicies(): PolicyCache {
  return new PolicyCache("native");
}
