/** What an evolution strategy is told about its perturbations, and its options. */

export type PerturbationReward = {
  readonly seed: number;
  /** 1: θ + σε was rewarded; −1: θ − σε. Default 1. */
  readonly direction?: 1 | -1 | undefined;
  readonly reward: number;
};

export type EvolutionOptions = {
  readonly learningRate: number;
  /** σ of the perturbations that were rewarded. */
  readonly noiseScale: number;
  /** How scores become weights. `raw`: as they are. Default `standardized`. */
  readonly fitness?: "standardized" | "ranked" | "raw" | undefined;
};
