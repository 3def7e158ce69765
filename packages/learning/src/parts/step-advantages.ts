/** Advantage parts that credit turns, branches and tokens of a trajectory apart. */
import { batchNormalizedAdvantages } from "../advantages/batch-normalized.ts";
import {
  entropyWeightedAdvantages,
  type EntropyWeighting,
} from "../advantages/entropy-weighted.ts";
import {
  type GroupAdvantageOptions,
  groupRelativeAdvantages,
} from "../advantages/group-advantages.ts";
import { clusterAdvantages, clustersOf } from "../advantages/like-observations.ts";
import { stateGroupAdvantages, type StateGroupOptions } from "../advantages/state-groups.ts";
import { mixedStepAdvantages, type StepMixOptions } from "../advantages/step-mix.ts";
import { segmentAdvantages, type TreeSegment } from "../advantages/trajectory-tree.ts";
import {
  discountedReturns,
  turnAdvantages,
  type TurnAdvantageOptions,
} from "../advantages/turn-returns.ts";
import { made } from "../composition/making.ts";
import type { AdvantagePart, RewardedTrajectory } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import { sequenceSimilarity } from "../rewards/similarity.ts";
import type { TokenRows } from "../token-rows.ts";
import { withScale } from "./advantage-scale.ts";
import { advantagePart, byTurns, turnRewards } from "./credit.ts";
import { groupAdvantage } from "./group-advantages.ts";

type GroupPart = AdvantagePart<never, "group">;

/** `turn`: discounted turn rewards, normalised over the turns of the group. */
export function turnLevel(options: TurnAdvantageOptions = { scale: "std" }): GroupPart {
  return advantagePart("turn", "group", (groups) =>
    byTurns(groups, (trajectories) => turnAdvantages(trajectories.map(turnRewards), options)),
  );
}

/** `gigpo`: the trajectory's advantage plus a turn's among turns that began in the same state. */
export function stateGroups(options: StateGroupOptions = { scale: "std" }): GroupPart {
  return advantagePart("gigpo", "group", (groups) =>
    byTurns(groups, (trajectories) =>
      stateGroupAdvantages(
        trajectories.map((scored) => {
          const rewards = turnRewards(scored);
          return {
            group: "task",
            reward: scored.score.reward,
            steps: scored.trajectory.turns.map(({ state }, i) => ({
              state,
              reward: rewards[i] as number,
            })),
          };
        }),
        options,
      ),
    ),
  );
}

/** `mix`: A of the trajectory plus α times a turn's own, from process rewards. */
export function mixedSteps(options: StepMixOptions = {}): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart(
      "mix",
      "group",
      (groups) =>
        byTurns(groups, (trajectories) =>
          mixedStepAdvantages(
            trajectories.map(({ score }) => score.reward),
            trajectories.map(({ trajectory, score }) =>
              trajectory.turns.map(({ reward }, i) => score.turnRewards?.[i] ?? reward ?? 0),
            ),
            scaled,
          ),
        ),
      { around: [groupAdvantage(scaled)] },
    );
  });
}

/** `cluster`: turns are judged among like observations, of the same group. */
export function likeObservations(threshold = 0.8): GroupPart {
  return advantagePart("cluster", "group", (groups) =>
    byTurns(groups, (trajectories) => {
      const ofGroup = groupRelativeAdvantages(trajectories.map(({ score }) => score.reward));
      const returns = trajectories.map((scored) => discountedReturns(turnRewards(scored), 1));
      const states = trajectories.flatMap(({ trajectory }) =>
        trajectory.turns.map(({ state }) => state.split(" ")),
      );
      const flat = clusterAdvantages(
        returns.flat(),
        clustersOf(states, sequenceSimilarity, threshold),
        trajectories.flatMap(({ trajectory }, i) =>
          trajectory.turns.map(() => ofGroup[i] as number),
        ),
        { scale: "std" },
      );
      let next = 0;
      return returns.map((row) => row.map(() => flat[next++] as number));
    }),
  );
}

/** `branch`: what branches share is credited with the mean of all that came of it. */
export function branchAttributed(options?: GroupAdvantageOptions): GroupPart {
  return withScale(options, (scaled) => {
    return advantagePart(
      "branch",
      "group",
      (groups) =>
        byTurns(groups, (trajectories) => {
          const ofGroup = groupRelativeAdvantages(
            trajectories.map(({ score }) => score.reward),
            scaled,
          );
          const { segments, leaves } = treeOf(trajectories, ofGroup);
          const bySegment = segmentAdvantages(segments, leaves);
          return trajectories.map(({ trajectory }) =>
            trajectory.turns.map((_, turn) => bySegment.get(segmentId(trajectory.id, turn)) ?? 0),
          );
        }),
      { around: [groupAdvantage(scaled)] },
    );
  });
}

function segmentId(trajectory: string, turn: number | "end"): string {
  return `${trajectory}/${turn}`;
}

/**
 * The turns of a group as one tree: a branch hangs on the turn that it left, and every trajectory ends in a
 * leaf of its own, so that one may end where another goes on.
 */
function treeOf(
  trajectories: readonly RewardedTrajectory[],
  advantages: readonly number[],
): { readonly segments: TreeSegment[]; readonly leaves: Map<string, number> } {
  const segments: TreeSegment[] = [];
  const leaves = new Map<string, number>();
  // Roots first: a parent comes before its children.
  const order = [...trajectories.entries()].toSorted(
    ([, a], [, b]) => (a.trajectory.branch?.turn ?? 0) - (b.trajectory.branch?.turn ?? 0),
  );
  for (const [i, { trajectory }] of order) {
    const from = trajectory.branch?.turn ?? 0;
    let parent: string | null =
      trajectory.branch === null || from === 0
        ? null
        : segmentId(trajectory.branch.trajectory, from - 1);
    for (let turn = from; turn < trajectory.turns.length; turn += 1) {
      const id = segmentId(trajectory.id, turn);
      segments.push({ id, parent });
      parent = id;
    }
    const leaf = segmentId(trajectory.id, "end");
    segments.push({ id: leaf, parent });
    leaves.set(leaf, advantages[i] as number);
  }
  return { segments, leaves };
}

/** `batch`: `inner`, brought to mean 0 and deviation 1 over the batch. */
export function batchNormalized<N extends StateName>(
  inner: AdvantagePart<N, "group">,
): AdvantagePart<N, "group"> {
  return made({}, (_, [estimator]) => normalizedOverBatch(estimator), [inner]);
}

function normalizedOverBatch<N extends StateName>(
  inner: AdvantagePart<N, "group">,
): AdvantagePart<N, "group"> {
  return advantagePart(
    "batch",
    "group",
    (groups, context) => {
      const estimated = inner.estimate(groups, context);
      const rows = [...estimated.advantages].flatMap(([id, samples]) =>
        samples.map((row) => ({ id, row })),
      );
      const masks = new Map(
        groups.flatMap(({ trajectories }) =>
          trajectories.map(({ trajectory, lossMask }) => [trajectory.id, lossMask] as const),
        ),
      );
      const places = rows.flatMap(({ id, row }, r) => {
        const samples = estimated.advantages.get(id) as TokenRows;
        const mask = masks.get(id)?.[samples.indexOf(row)] ?? [];
        return Array.from(row, (value, t) => ({ r, t, value })).filter(({ t }) => mask[t] === true);
      });
      const scaled = batchNormalizedAdvantages(places.map(({ value }) => value));
      const changed = rows.map(({ row }) => new Float64Array(row.length));
      for (const [i, { r, t }] of places.entries()) {
        (changed[r] as Float64Array)[t] = scaled[i] as number;
      }
      const advantages = new Map<string, TokenRows[number][]>();
      for (const [r, { id }] of rows.entries()) {
        advantages.set(id, [...(advantages.get(id) ?? []), changed[r] as Float64Array]);
      }
      return { ...estimated, advantages };
    },
    { needs: inner.needs, around: [inner] },
  );
}

/** `entropy-w`: `inner`, larger where the sampler was less sure than on the batch's average. */
export function entropyWeighted<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weighting: EntropyWeighting,
): AdvantagePart<N, "group"> {
  return made({}, (_, [estimator]) => weighedByEntropy(estimator, weighting), [inner]);
}

function weighedByEntropy<N extends StateName>(
  inner: AdvantagePart<N, "group">,
  weighting: EntropyWeighting,
): AdvantagePart<N, "group"> {
  return advantagePart(
    "entropy-w",
    "group",
    (groups, context) => {
      const estimated = inner.estimate(groups, context);
      const rows = groups
        .flatMap(({ trajectories }) => trajectories)
        .flatMap((scored) => {
          const own = estimated.advantages.get(scored.trajectory.id) ?? [];
          const entropies = entropiesOf(scored);
          return own.map((row, sample) => ({
            id: scored.trajectory.id,
            row,
            mask: scored.lossMask[sample] ?? [],
            entropies: entropies[sample] as ArrayLike<number>,
          }));
        });
      const weighed = entropyWeightedAdvantages(
        rows.map(({ row }) => row),
        rows.map(({ entropies }) => entropies),
        rows.map(({ mask }) => mask),
        weighting,
      );
      const advantages = new Map<string, Float64Array[]>();
      for (const [r, { id }] of rows.entries()) {
        advantages.set(id, [...(advantages.get(id) ?? []), weighed[r] as Float64Array]);
      }
      return { ...estimated, advantages };
    },
    { needs: inner.needs, around: [inner] },
  );
}

/** `[samples][T]` entropies as the sampler recorded them, 0 where nothing was sampled. */
function entropiesOf({ trajectory }: RewardedTrajectory): TokenRows {
  return trajectory.samples.map(({ sequence, spans }) => {
    const row = new Float64Array(sequence.tokenIds.length);
    for (const { segment, start } of spans) row.set(segment.entropies, start);
    return row;
  });
}
