/**
 * Groups that wait for a learning step. Each is rewarded once, with the context of the step that trains
 * on it, and filters judge all waiting groups together. The step uses these results and does not
 * compute them again.
 */
import {
  boundedBehaviorLogProbs,
  type JudgedTrajectory,
  filterGroups,
  type Kept,
  type RewardedGroup,
  rewardGroup,
  type StateValues,
} from "@waggle/learning";
import type { EdgeRecipe } from "../recipes/edge-recipe.ts";
import type { LearnableGroup, LearnableTrajectory } from "./learnable-group.ts";
import { partContext } from "../recipes/part-context.ts";

/** The step that groups wait for. */
export type ComingStep = {
  /** Learning steps taken before it. */
  readonly step: number;
  /** Seed of random draws in the recipe's parts; default 0. */
  readonly seed?: number;
  /** The recipe's state after earlier steps; absent = none yet. */
  readonly state?: StateValues | undefined;
  /** Recorded log-probs are clamped to re-scored ± this, in nats. */
  readonly band: number;
};

/** A learnable group with the rewards of the coming step. */
export type RewardedLearnable = LearnableGroup & { readonly rewarded: RewardedGroup };

/** The filters' result for all groups that wait for a step. */
export type WaitingStep = {
  /** Groups that are not empty after filtering. */
  readonly groups: readonly RewardedLearnable[];
  /** The trajectories that the step trains on. */
  readonly kept: Kept;
  /** By digest: why whole groups were left out. */
  readonly reasons: ReadonlyMap<string, string>;
};

/** Rewards a group with the context of the coming step. */
export async function rewardedForStep(
  { stage }: EdgeRecipe,
  group: LearnableGroup,
  { band, ...coming }: ComingStep,
): Promise<RewardedLearnable> {
  const { task } = group;
  const trajectories = group.trajectories.map((trajectory) => bounded(trajectory, band));
  const context = partContext(stage, coming.step, coming);
  return { ...group, rewarded: await rewardGroup(stage, { task, trajectories }, context) };
}

/**
 * Runs the recipe's filters on all waiting groups. The state that filters set belongs to the step.
 */
export function waitingStep(
  { stage }: EdgeRecipe,
  groups: readonly RewardedLearnable[],
  coming: ComingStep,
): WaitingStep {
  const reasons = new Map<string, string>();
  const needsSiblings = stage.advantage?.start === "group";
  const several = groups.filter(({ trajectories }) => !needsSiblings || trajectories.length > 1);
  for (const { trajectories } of groups.filter((group) => !several.includes(group))) {
    for (const { digest } of trajectories) reasons.set(digest, "group-of-one");
  }
  const kept = filterGroups(
    stage,
    several.map(({ rewarded }) => rewarded),
    partContext(stage, coming.step, coming),
  );
  const left = new Set(
    kept.groups.flatMap(({ trajectories }) => trajectories.map(({ trajectory }) => trajectory.id)),
  );
  const waiting = several.filter(({ trajectories }) =>
    trajectories.some(({ trajectory }) => left.has(trajectory.id)),
  );
  for (const { trajectories } of several.filter((group) => !waiting.includes(group))) {
    for (const { digest, trajectory } of trajectories) {
      reasons.set(digest, kept.dropped.get(trajectory.id) ?? "no-signal");
    }
  }
  return { groups: waiting, kept, reasons };
}

/** With its sender's weight, and with recorded log-probs clamped to the band around the re-scored ones. */
function bounded(
  { trajectory, rescoredLogProbs, reputation }: LearnableTrajectory,
  band: number,
): JudgedTrajectory {
  return {
    ...trajectory,
    ...(reputation === undefined ? {} : { reputation }),
    samples: trajectory.samples.map((sample, i) => ({
      ...sample,
      behaviorLogProbs: boundedBehaviorLogProbs(
        sample.behaviorLogProbs,
        rescoredLogProbs[i] as readonly number[],
        band,
      ),
    })),
  };
}
