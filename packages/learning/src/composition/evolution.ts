/** Parts of a stage of evolution strategies, which learns from the rewards of perturbed parameters. */
import type { TensorMap } from "@waggle/protocol";
import type { EvolutionOptions, PerturbationReward } from "../gradient-free/perturbation.ts";

/** In the advantage slot: turns the rewards of perturbations into weights. */
export type FitnessPart = {
  readonly slot: "advantage";
  readonly part: string;
  readonly kind: NonNullable<EvolutionOptions["fitness"]>;
};

/** In the loss slot: updates the parameters from the rewards. */
export type EvolutionPart = {
  readonly slot: "loss";
  readonly part: string;
  readonly step: (
    parameters: TensorMap,
    rewarded: readonly PerturbationReward[],
    options: EvolutionOptions,
  ) => TensorMap;
};

export type Evolution = { readonly fitness: FitnessPart; readonly how: EvolutionPart };
