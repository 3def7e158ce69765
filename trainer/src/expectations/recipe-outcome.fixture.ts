/**
 * What a recipe has made after a few updates, whatever its kind: parameters, a merged model, or texts.
 * Every recipe gets engines of its own, and the environment is reset before it, so only the recipe
 * decides.
 */
import { createHash } from "node:crypto";
import { type Recipe, recipeNamed, type Settings, type Stage } from "@waggle/learning";
import type { JudgedGroup } from "@waggle/learning";
import type { TensorMap } from "@waggle/protocol";
import { tensorsDigest } from "../loop/run-folder.ts";
import { feedbackWeights } from "../recipes/feedback-weights.ts";
import { recipeEnvironment } from "../recipes/recipe-places.ts";
import { FIRST_STEP } from "../rollouts/part-context.fixture.ts";
import { evolve } from "../update/evolve-update.ts";
import { mergeMembers } from "../update/merge-update.ts";
import {
  type ActedEnvironment,
  actedEnvironment,
  type StageRecord,
  type TinyEngines,
  tinyEngines,
  updateOnce,
} from "./recipe-update.fixture.ts";

/** Updates per stage: data stored by one update shows in the next. */
const UPDATES = 3;

/** What was made, and where. */
export type Outcome = {
  readonly environment: string;
  readonly records: readonly StageRecord[];
  /** Digest of each trained model's parameters, and of what was written, by name. */
  readonly digests: { readonly [name: string]: string };
};

/** Environments by name and feedback; one recipe at a time uses each. */
export type ActedEnvironments = Map<string, ActedEnvironment>;

/**
 * Runs a recipe in its own environment.
 *
 * @param acted - reused between calls, which must not overlap.
 */
export async function outcomeOf(
  name: string,
  acted: ActedEnvironments,
  { settings = {}, seed = 1 }: { readonly settings?: Settings; readonly seed?: number } = {},
): Promise<Outcome> {
  const recipe = recipeNamed(name)(settings);
  const spec = recipeEnvironment(recipe);
  // Visitors give only the feedback that the recipe learns from.
  const key = JSON.stringify([spec.name, recipe.stages.map(feedbackWeights)]);
  const environment = acted.get(key) ?? (await actedEnvironment(spec));
  acted.set(key, environment);
  const engines = await tinyEngines();
  try {
    const records = await learned(recipe, environment, engines, seed);
    return {
      environment: spec.name,
      records,
      digests: isWritten(recipe) ? writtenBy(records) : await trainedIn(engines),
    };
  } finally {
    await engines.dispose();
  }
}

/** Whether the recipe only writes texts or cases. */
function isWritten({ stages }: Recipe): boolean {
  return stages.every(({ learns }) => learns === "texts");
}

function writtenBy(records: readonly StageRecord[]): Outcome["digests"] {
  const written = records.map(({ state, asked }) => [Object.values(state), asked]);
  return { texts: createHash("sha256").update(JSON.stringify(written)).digest("hex") };
}

async function trainedIn({ engine, models }: TinyEngines): Promise<Outcome["digests"]> {
  const digests: { [model: string]: string } = {};
  for (const [model, one] of [["policy", engine] as const, ...models]) {
    digests[model] = tensorsDigest(await one.parameters());
  }
  return digests;
}

async function learned(
  recipe: Recipe,
  environment: ActedEnvironment,
  engines: TinyEngines,
  seed: number,
): Promise<StageRecord[]> {
  const update = (stages: readonly Stage[]): Promise<StageRecord[]> =>
    updateOnce({ ...recipe, stages }, environment, engines, UPDATES, seed, "own");
  const last = recipe.stages.at(-1) as Stage;
  if (last.evolution !== null) {
    await evolved(last, engines, seed);
    return [];
  }
  if (last.merging === null) return update(recipe.stages);
  const before = recipe.stages.length > 1 ? await update(recipe.stages.slice(0, -1)) : [];
  const members: StageRecord[] = [];
  await mergeMembers(engines.engine, last.merging, {
    learn: async (stages) => void members.push(...(await update(stages))),
    evaluate: () => Promise.reject(new Error("no recipe of the catalogue has a gate")),
    random: () => 0.5,
  });
  return [...before, ...members];
}

/** One update by evolution strategies; the reward is a parameter's own change. */
async function evolved(stage: Stage, { engine }: TinyEngines, seed: number): Promise<void> {
  const { noise } = stage.rollout.strategy(FIRST_STEP);
  if (noise === undefined || stage.evolution === null) throw new Error("nothing to evolve");
  const firstOf = (parameters: TensorMap): number => [...parameters.values()][0]?.data[0] ?? 0;
  const start = firstOf(await engine.parameters());
  const act = async (parameters: TensorMap): Promise<JudgedGroup[]> => {
    const reward = firstOf(parameters) - start;
    const verification = { reward, success: reward > 0 };
    const trajectory = { id: "a", samples: [], turns: [], verification };
    return [{ task: "t", trajectories: [trajectory] } as unknown as JudgedGroup];
  };
  const { evolution } = stage;
  const options = { seed, learningRate: 1e-3, context: FIRST_STEP };
  await evolve(engine, { stage, evolution, noise }, act, options);
}
