/**
 * One gradient-free step of a stage: rolls out with each perturbation as the policy, then updates.
 */
import { meanOrZero } from "@waggle/evaluation";
import type { JudgedGroup, PartContext } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { PolicyVersions } from "./policy-versions.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import { evolve, type EvolvedStage } from "../update/evolve-update.ts";

/** @param rollOut - must use the same tasks and random draws for every perturbation. */
export async function evolvedStep(
  engine: TrainEngine,
  stage: EvolvedStage,
  versions: PolicyVersions,
  rollOut: () => Promise<readonly JudgedGroup[]>,
  options: { readonly seed: number; readonly learningRate: number; readonly context: PartContext },
): Promise<{ [name: string]: number }> {
  const act = async (parameters: TensorMap): Promise<readonly JudgedGroup[]> => {
    versions.hold(adapterOf(parameters));
    await versions.adopt(0);
    return rollOut();
  };
  const perturbations = await evolve(engine, stage, act, options);
  await versions.holdFrom(engine);
  return { rewardMean: meanOrZero(perturbations.map(({ reward }) => reward)) };
}
