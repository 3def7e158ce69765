/** One step of a stage without a gradient: each perturbation acts as the policy, then the update is it. */
import type { JudgedGroup, PartContext } from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import type { PolicyVersions } from "../sink/policy-versions.ts";
import { adapterOf } from "../update/adapter-tensors.ts";
import { mean } from "../update/trajectory-metrics.ts";
import { evolve, type EvolvedStage } from "../update/evolve-update.ts";

/** @param rollOut - the same tasks with the same draws for every perturbation. */
export async function evolvedStep(
  engine: TrainEngine,
  made: EvolvedStage,
  versions: PolicyVersions,
  rollOut: () => Promise<readonly JudgedGroup[]>,
  options: { readonly seed: number; readonly learningRate: number; readonly context: PartContext },
): Promise<{ [name: string]: number }> {
  const act = async (parameters: TensorMap): Promise<readonly JudgedGroup[]> => {
    versions.hold(adapterOf(parameters));
    await versions.adopt(0);
    return rollOut();
  };
  const perturbations = await evolve(engine, made, act, options);
  await versions.holdFrom(engine);
  return { rewardMean: mean(perturbations.map(({ reward }) => reward)) };
}
