/** Seeds and rewards of perturbations, and options of evolution strategies. */
import { derivedSeed } from "@waggle/protocol";

/** The reward of one perturbed model. The perturbation is rebuilt from its seed. */
export type PerturbationReward = {
  readonly seed: number;
  /** 1: the reward of θ + σε; −1: of θ − σε. Default 1. */
  readonly direction?: 1 | -1 | undefined;
  readonly reward: number;
};

export type EvolutionOptions = {
  readonly learningRate: number;
  /** Standard deviation σ of the perturbations. */
  readonly noiseScale: number;
  /** How rewards become weights; `raw` leaves them unchanged. Default `standardized`. */
  readonly fitness?: "standardized" | "ranked" | "raw" | undefined;
};

/**
 * `[n]` perturbations in mirrored pairs: one seed in both directions, so that the noise itself cancels.
 */
export function mirroredPerturbations(
  seed: number,
  count: number,
): { readonly seed: number; readonly direction: 1 | -1 }[] {
  return Array.from({ length: count }, (_, i) => ({
    seed: derivedSeed(seed, i >> 1),
    direction: i % 2 === 0 ? 1 : -1,
  }));
}
