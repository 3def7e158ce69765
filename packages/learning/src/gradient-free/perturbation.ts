/** What an evolution strategy is told about its perturbations, and its options. */

export type PerturbationScore = {
  readonly seed: number;
  /** 1: θ + σε was scored; −1: θ − σε. Default 1. */
  readonly direction?: 1 | -1 | undefined;
  readonly score: number;
};

export type EvolutionOptions = {
  readonly learningRate: number;
  /** σ of the perturbations that were scored. */
  readonly noiseScale: number;
  /** How scores become weights. `raw`: as they are. Default `standardized`. */
  readonly fitness?: "standardized" | "ranked" | "raw" | undefined;
};
