/** Parts of a stage that learns without a gradient, from scores of perturbed parameters. Not a driver. */
import type { TensorMap } from "@waggle/protocol";
import type { EvolutionOptions, PerturbationReward } from "../gradient-free/perturbation.ts";

/** In the advantage slot: how scores of perturbations become weights. */
export type FitnessPart = {
  readonly slot: "advantage";
  readonly part: string;
  readonly kind: NonNullable<EvolutionOptions["fitness"]>;
};

/** In the loss slot: from scores to parameters. */
export type EvolutionPart = {
  readonly slot: "loss";
  readonly part: string;
  readonly step: (
    parameters: TensorMap,
    scores: readonly PerturbationReward[],
    options: EvolutionOptions,
  ) => TensorMap;
};

export type Evolution = { readonly fitness: FitnessPart; readonly how: EvolutionPart };
