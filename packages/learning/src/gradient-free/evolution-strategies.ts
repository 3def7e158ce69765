/**
 * Evolution strategies: parameters move towards perturbations with high rewards, with forward passes only. A
 * client gets a seed and returns a reward; no text leaves the page. The part `es`.
 *
 * Sources: Salimans et al. 2017, "Evolution Strategies as a Scalable Alternative to Reinforcement
 * Learning", arXiv:1703.03864, algorithm 1; Qiu et al. 2025, "Evolution Strategies at Scale",
 * arXiv:2509.24372, whose step has no 1/σ: its learning rate is this one's divided by σ.
 */
import { option, definePart } from "../composition/part-options.ts";
import { type TensorMap, WaggleError } from "@waggle/protocol";
import { rankedFitness, standardizedFitness } from "../advantages/fitness.ts";
import type { EvolutionPart, FitnessPart } from "../composition/evolution.ts";
import type { RolloutPart } from "../composition/part.ts";
import { groupStrategy } from "../rollouts/plain-rollouts.ts";
import { rolloutPart } from "../rollouts/rollout-part.ts";
import { seededNormals } from "./seeded-noise.ts";
import type { PerturbationReward, EvolutionOptions } from "./perturbation.ts";

/**
 * θ + learningRate / (n·σ) · Σ weight_i · direction_i · ε(seed_i).
 *
 * @returns θ unchanged if all rewards are equal, unless `fitness` is `raw`.
 * @throws WaggleError `GROUP_TOO_SMALL` for one perturbation with comparing weights.
 */
export function evolutionStep(
  parameters: TensorMap,
  rewarded: readonly PerturbationReward[],
  { learningRate, noiseScale, fitness = "standardized" }: EvolutionOptions,
): TensorMap {
  if (!(noiseScale > 0) || rewarded.length === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a step of evolution strategies needs perturbations and a noise scale above 0, and there are ${rewarded.length} with a scale of ${noiseScale}`,
    );
  }
  const weights = fitnessWeights(
    rewarded.map(({ reward }) => reward),
    fitness,
  );
  const factor = learningRate / (rewarded.length * noiseScale);
  return new Map(
    Array.from(parameters, ([name, { shape, data }]) => {
      const moved = Float64Array.from(data);
      for (const [k, { seed, direction = 1 }] of rewarded.entries()) {
        const amount = factor * direction * (weights[k] as number);
        if (amount === 0) continue;
        const noise = seededNormals(seed, name, data.length);
        for (const [i, value] of noise.entries()) moved[i] = (moved[i] as number) + amount * value;
      }
      return [name, { shape, data: Float32Array.from(moved) }];
    }),
  );
}

/** `[n]` weights of perturbations by their rewards. @throws WaggleError `GROUP_TOO_SMALL` for one with comparing weights */
export function fitnessWeights(
  rewards: readonly number[],
  fitness: "standardized" | "ranked" | "raw",
): readonly number[] {
  switch (fitness) {
    case "standardized":
      return standardizedFitness(rewards);
    case "ranked":
      return rankedFitness(rewards);
    case "raw":
      return rewards;
  }
}

/**
 * `noise-seed`: parameters perturbed by seeded noise of standard deviation `scale`, one trajectory per task each.
 *
 * @param moves - selects the tensors; default: all.
 */
export function noiseSeed(
  perturbations: number,
  scale: number,
  moves: (tensor: string) => boolean = () => true,
): RolloutPart<never, "single"> {
  return rolloutPart("noise-seed", "single", {
    name: "noise",
    options: { perturbations, scale },
    noise: { perturbations, scale, moves },
    rollOut: groupStrategy({ size: 1 }).rollOut,
  });
}

/** `fitness`: rewards standardized to mean 0 and deviation 1, or ranked. */
export function fitness(kind?: FitnessPart["kind"]): FitnessPart {
  return definePart({ fitnessKind: option(kind, "standardized") }, ({ fitnessKind: kind }) => ({
    slot: "advantage",
    part: "fitness",
    kind,
  }));
}

/** `es`: a step towards perturbations with high rewards. */
export function evolutionStrategy(): EvolutionPart {
  return { slot: "loss", part: "es", step: evolutionStep };
}
