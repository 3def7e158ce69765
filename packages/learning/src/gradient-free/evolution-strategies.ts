/**
 * Learning by forward passes alone: parameters move towards the perturbations that rewarded well. A client
 * needs a seed and sends back a score; no text leaves the page. The part `es`.
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
import { seededNormals } from "./seeded-noise.ts";
import type { PerturbationReward, EvolutionOptions } from "./perturbation.ts";

/**
 * θ + learningRate / (n·σ) · Σ weight_i · direction_i · ε(seed_i).
 *
 * @returns θ itself where all scored alike, unless weights are raw.
 * @throws WaggleError `GROUP_TOO_SMALL` for one perturbation with weights that compare.
 */
export function evolutionStep(
  parameters: TensorMap,
  scores: readonly PerturbationReward[],
  { learningRate, noiseScale, fitness = "standardized" }: EvolutionOptions,
): TensorMap {
  if (!(noiseScale > 0) || scores.length === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `a step must have scores and a noise scale above 0, got ${scores.length} scores and ${noiseScale}; score some perturbations first`,
    );
  }
  const weights = fitnessWeights(
    scores.map(({ reward }) => reward),
    fitness,
  );
  const factor = learningRate / (scores.length * noiseScale);
  return new Map(
    Array.from(parameters, ([name, { shape, data }]) => {
      const moved = Float64Array.from(data);
      for (const [k, { seed, direction = 1 }] of scores.entries()) {
        const amount = factor * direction * (weights[k] as number);
        if (amount === 0) continue;
        const noise = seededNormals(seed, name, data.length);
        for (const [i, value] of noise.entries()) moved[i] = (moved[i] as number) + amount * value;
      }
      return [name, { shape, data: Float32Array.from(moved) }];
    }),
  );
}

function fitnessWeights(
  scores: readonly number[],
  fitness: "standardized" | "ranked" | "raw",
): readonly number[] {
  switch (fitness) {
    case "standardized":
      return standardizedFitness(scores);
    case "ranked":
      return rankedFitness(scores);
    case "raw":
      return scores;
  }
}

/**
 * `noise-seed`: parameters moved by seeded noise of deviation `scale`, one trajectory a task for each.
 *
 * @param moves - which tensors; default all.
 */
export function noiseSeed(
  perturbations: number,
  scale: number,
  moves: (tensor: string) => boolean = () => true,
): RolloutPart<never, "single"> {
  const plan = { kind: "noise", perturbations, scale, moves } as const;
  return { slot: "rollout", part: "noise-seed", start: "single", needs: [], plan: () => plan };
}

/** `fitness`: scores at mean 0 and deviation 1, or by rank. */
export function fitness(kind?: FitnessPart["kind"]): FitnessPart {
  return definePart({ fitnessKind: option(kind, "standardized") }, ({ fitnessKind: kind }) => ({
    slot: "advantage",
    part: "fitness",
    kind,
  }));
}

/** `es`: towards the noise that rewarded well. */
export function evolutionStrategy(): EvolutionPart {
  return { slot: "loss", part: "es", step: evolutionStep };
}
