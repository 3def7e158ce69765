/**
 * The trainer's side of one cell: the engines of the arm's recipe, and the learner over them. Records with what people said go
 * in, and an adapter comes out. Neither people nor a verifier.
 */
import { constantRate, recipeNamed } from "@waggle/learning";
import type { LeasedTrajectory, TensorMap } from "@waggle/protocol";
import { openRecipeEngines } from "../../loop/recipe-engines.ts";
import type { BaseModel } from "../../model/base-model.ts";
import { type EdgeRecipe, edgeRecipeNamed } from "../../recipes/edge-recipe.ts";
import { adapterOf } from "../../update/adapter-tensors.ts";
import { SignalLearner } from "./learner.ts";
import type { SignalArm } from "./signal-arms.ts";

/** What a learner is opened with. */
export type LearnerStart = {
  readonly arm: SignalArm;
  readonly seed: number;
  readonly contextLength: number;
};

/** What came of some requests. */
export type Learned = {
  /** The adapter's tensors, if they have changed; otherwise `null`. */
  readonly tensors: TensorMap | null;
  /** Optimizer steps, and requests with feedback that the recipe reads, since the start. */
  readonly counts: { readonly steps: number; readonly answered: number };
};

/** The trainer's side of one cell. */
export type CellLearner = {
  readonly take: (requests: readonly LeasedTrajectory[]) => Promise<Learned>;
  readonly dispose: () => Promise<void>;
};

/** Opens the trainer's side, here or in another process. */
export type OpenLearner = (start: LearnerStart) => Promise<CellLearner>;

/** Weight of the KL to the base, the default of `waggle train-edge`. */
export const KL = 0.1;
/** Of the adapter. */
export const SHAPE = { rank: 8, alpha: 16 };
export const LEARNING_RATE = 4e-3;
/** Answered requests of one step. */
export const PER_STEP = 32;

/** The recipe of an arm, with the settings of the study. */
export function armRecipe({ recipe, settings, epochs }: SignalArm): EdgeRecipe {
  return edgeRecipeNamed(recipe, {
    groupsPerStep: PER_STEP,
    learningRate: constantRate(LEARNING_RATE),
    klCoefficient: KL,
    epochs,
    own: settings,
  });
}

/** Opens the learner in this process. */
export async function openCellLearner(
  model: BaseModel,
  { arm, seed, contextLength }: LearnerStart,
): Promise<CellLearner> {
  const recipe = armRecipe(arm);
  const { engine, resources, dispose } = await openRecipeEngines(
    { ...recipeNamed(arm.recipe)(), stages: [recipe.stage] },
    model,
    "cpu",
    { ...SHAPE, seed },
    { threads: 1 },
  );
  const { reference } = resources;
  const { format } = model;
  const learner = new SignalLearner({ engine, reference, recipe, format, contextLength, seed });
  return {
    async take(requests) {
      const isChanged = await learner.take(requests);
      const tensors = isChanged ? adapterOf(await engine.parameters()) : null;
      return { tensors, counts: { steps: learner.steps, answered: learner.answered } };
    },
    dispose,
  };
}
