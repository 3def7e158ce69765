/**
 * One evolution-strategies step, without a gradient. Seeded noise perturbs the parameters, the
 * trajectories of each perturbation are rewarded, and the parameters move toward the better
 * perturbations. The caller rolls out with the perturbed parameters.
 */
import { meanOrZero } from "@waggle/evaluation";
import { mirroredPerturbations, perturbed, rewardGroups } from "@waggle/learning";
import type {
  JudgedGroup,
  ParameterNoise,
  PartContext,
  PerturbationReward,
  Stage,
} from "@waggle/learning";
import type { TensorMap, TrainEngine } from "@waggle/protocol";
import { WaggleError } from "@waggle/protocol";
import { setParameters } from "./engine-parameters.ts";

export type EvolvedStage = {
  readonly stage: Stage;
  readonly evolution: NonNullable<Stage["evolution"]>;
  readonly noise: ParameterNoise;
};

/**
 * @returns the perturbations, by seed and direction, with the mean reward of each.
 * @throws WaggleError `INVALID_ARGUMENT` if the noise moves no tensor of the engine.
 */
export async function evolve(
  engine: TrainEngine,
  { stage, evolution, noise }: EvolvedStage,
  rollOut: (parameters: TensorMap) => Promise<readonly JudgedGroup[]>,
  options: { readonly seed: number; readonly learningRate: number; readonly context: PartContext },
): Promise<readonly PerturbationReward[]> {
  const { perturbations, scale, moves } = noise;
  const { fitness, how } = evolution;
  const before = await engine.parameters();
  const moved = new Map([...before].filter(([name]) => moves(name)));
  if (moved.size === 0) {
    throw new WaggleError(
      "INVALID_ARGUMENT",
      `the noise moves none of the engine's ${before.size} tensors, such as ${[...before.keys()].at(-1)}; name a place that matches a tensor`,
    );
  }
  const rewarded: PerturbationReward[] = [];
  for (const { seed, direction } of mirroredPerturbations(options.seed, perturbations)) {
    const groups = await rollOut(
      new Map([...before, ...perturbed(moved, seed, direction * scale)]),
    );
    const { groups: kept } = await rewardGroups(stage, groups, options.context);
    const rewards = kept.flatMap(({ trajectories }) =>
      trajectories.map(({ reward }) => reward.total),
    );
    rewarded.push({ seed, direction, reward: meanOrZero(rewards) });
  }
  const step = {
    learningRate: options.learningRate,
    noiseScale: scale,
    fitness: fitness.kind,
  };
  await setParameters(engine, how.step(moved, rewarded, step));
  return rewarded;
}
