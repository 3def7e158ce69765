/**
 * One step of evolution strategies from rewards that pages computed. The perturbations are rebuilt from their seeds. A page
 * can send any reward, so the share of each visitor and network in the step is bounded.
 */
import { fitnessWeights, influenceFactors, movesInPages, scaledMasses } from "@waggle/learning";
import type { Stage } from "@waggle/learning";
import { meanOrZero } from "@waggle/evaluation";
import type { PageReward, TensorMap } from "@waggle/protocol";
import { type InfluenceShares, LEAST_NETWORKS } from "./sender-influence.ts";

export type RewardStepOptions = {
  readonly learningRate: number;
  readonly shares: Pick<InfluenceShares, "visitor" | "network">;
  /** The negative control: gives the weights to other perturbations. `null` = not. */
  readonly shuffle: ((weights: readonly number[]) => readonly number[]) | null;
};

export type RewardStep = {
  /** The tensors that change; empty if all rewards are equal or the bounds left nothing. */
  readonly parameters: TensorMap;
  /** Weight of each reward by assignment, those of 0 left out. */
  readonly weights: ReadonlyMap<string, number>;
  /** Whether the bounds on senders left nothing of a step with a signal. */
  readonly hasFewSenders: boolean;
  readonly metrics: { readonly [name: string]: number };
};

/** Leaves out rewards of another noise scale than the newest one's: the edge's setting has changed since. */
export function ofNewestScale(rewards: readonly PageReward[]): readonly PageReward[] {
  const scale = rewards.at(-1)?.perturbation.scale;
  return rewards.filter(({ perturbation }) => perturbation.scale === scale);
}

/**
 * @param parameters - those of the version that the rewards are about.
 * @param rewards - at least 2, of one noise scale.
 */
export function rewardStep(
  parameters: TensorMap,
  rewards: readonly PageReward[],
  { fitness, how }: NonNullable<Stage["evolution"]>,
  { learningRate, shares, shuffle }: RewardStepOptions,
): RewardStep {
  const noiseScale = rewards[0]?.perturbation.scale ?? 0;
  const own = fitnessWeights(
    rewards.map(({ reward }) => reward),
    fitness.kind,
  );
  const given = shuffle === null ? own : shuffle(own);
  const named = (of: (one: PageReward) => string | undefined) =>
    new Map(
      rewards.flatMap((one) => {
        const name = of(one);
        return name === undefined ? [] : [[one.assignmentId, name] as const];
      }),
    );
  const masses = new Map(
    rewards.map(({ assignmentId }, i) => [assignmentId, Math.abs(given[i] ?? 0)]),
  );
  const factors = influenceFactors(masses, [
    { names: named(({ visitorId }) => visitorId), share: shares.visitor },
    { names: named(({ network }) => network), share: shares.network, least: LEAST_NETWORKS },
  ]);
  const weighted = rewards.map(({ assignmentId, perturbation: { seed, direction } }, i) => ({
    assignmentId,
    seed,
    direction,
    reward: (given[i] ?? 0) * (factors.get(assignmentId) ?? 1),
  }));
  const moving = weighted.filter(({ reward }) => reward !== 0);
  const before = added(masses);
  const left = added(scaledMasses(masses, factors));
  const moved = new Map([...parameters].filter(([name]) => movesInPages(name)));
  return {
    parameters:
      moving.length === 0
        ? new Map()
        : how.step(moved, weighted, { learningRate, noiseScale, fitness: "raw" }),
    weights: new Map(moving.map(({ assignmentId, reward }) => [assignmentId, reward])),
    hasFewSenders: before > 0 && left === 0,
    metrics: {
      rewards: rewards.length,
      rewardMean: meanOrZero(rewards.map(({ reward }) => reward)),
      influenceScaleMin: Math.min(1, ...factors.values()),
      influenceScaleMean: before === 0 ? 1 : left / before,
    },
  };
}

function added(masses: ReadonlyMap<string, number>): number {
  return [...masses.values()].reduce((total, mass) => total + mass, 0);
}
