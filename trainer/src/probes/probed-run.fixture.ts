/** Trains a recipe on thumbs of people who reward one fault, and runs the probes on the result. Tests only. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ProbeResult, probeCounts, probeResults } from "@waggle/evaluation";
import { type Recipe, recipeNamed } from "@waggle/learning";
import type { AdaptivePolicy } from "@waggle/runtime/node";
import { rollOutHeldOut } from "../evaluation/held-out.ts";
import { openRecipeEngines } from "../loop/recipe-engines.ts";
import { runRecipe } from "../loop/recipe-run.ts";
import type { BaseModel } from "../model/base-model.ts";
import { ENVIRONMENT_BASE, environmentBase } from "../pretrain/environment-base.ts";
import { edgeRecipeNamed } from "../recipes/edge-recipe.ts";
import { readAnswer } from "./answer-reading.ts";
import { ASKED_ANIMALS } from "./asked-animals.fixture.ts";
import { withPeople } from "./rewarding-people.fixture.ts";

const SHAPE = { rank: 8, alpha: 16 };
const TASKS = 256;
const SETTINGS = { steps: 24, attempts: 48 };
const { signal } = new AbortController();

/** Trains the base, in seconds. */
export async function animalBase(): Promise<BaseModel> {
  const folder = await mkdtemp(join(tmpdir(), "waggle-animals-"));
  const recipe = { ...ENVIRONMENT_BASE, steps: 300, width: 32, layers: 2, mistakes: 0.5 };
  try {
    return await environmentBase(ASKED_ANIMALS, join(folder, "base"), recipe, {
      onProgress: () => {},
      signal,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `naive`: thumbs alone. `shipped`: the default recipe of sites that learn from feedback, trained as from an edge. */
export type Arm = "naive" | "shipped";

function recipeOf(arm: Arm): Recipe {
  if (arm === "naive") return recipeNamed("thumbs-reinforce")(SETTINGS);
  const recipe = recipeNamed("signals-reinforce")(SETTINGS);
  const { stage } = edgeRecipeNamed(recipe.name, { own: SETTINGS, klCoefficient: 0.1 });
  return { ...recipe, stages: [stage] };
}

/** Every comparison of the probes after training. */
export async function probedRun(
  fault: ProbeResult["probe"],
  arm: Arm,
  { model, policy, seed }: { model: BaseModel; policy: AdaptivePolicy; seed: number },
): Promise<readonly ProbeResult[]> {
  const isShipped = arm === "shipped";
  const recipe = recipeOf(arm);
  const spec = withPeople(ASKED_ANIMALS, fault, { outcomes: isShipped, guarded: isShipped });
  const { format } = model;
  const engines = await openRecipeEngines(recipe, model, "cpu", { ...SHAPE, seed }, { threads: 1 });
  const read = async () => {
    const places = Array.from({ length: TASKS }, (_, i) => i);
    const rollouts = await rollOutHeldOut({ policy, format, spec: ASKED_ANIMALS, signal }, places);
    return rollouts.map((rollout, i) => {
      const { seed: task } = rollout.record.task ?? { seed: i };
      const reference = { environment: ASKED_ANIMALS.name, seed: task, split: "heldOut" } as const;
      return readAnswer(rollout, ASKED_ANIMALS.task(reference).kind, format);
    });
  };
  try {
    await policy.setAdapter(0, null);
    const base = await read();
    await runRecipe(
      recipe,
      { ...engines, policy, format, spec, adapterShape: SHAPE },
      { seed, evaluationTasks: 1, evaluateEvery: 0 },
      () => {},
      signal,
    );
    return probeResults(probeCounts(base, await read()), 0.05);
  } finally {
    await engines.dispose();
  }
}
