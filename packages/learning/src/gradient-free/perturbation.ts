/** Rewards of perturbations and options of evolution strategies. */

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
