/**
 * `step-mask` and `entropy-steps`: which steps of a trajectory carry loss. The others are only context,
 * because they were wrong, certain or not decisive.
 *
 * Source: ATLaS (critical steps), EEF and Orchard (productive parts of failed runs), AgentRefine (errors not
 * imitated), DART (steps above an entropy quantile).
 */
import type { JudgedTurn } from "../composition/judged-trajectory.ts";
import { option, definePart } from "../composition/part-options.ts";
import type { FilterPart, RewardedTrajectory } from "../composition/part.ts";
import { turnOption, type TurnRule, turnRule } from "../losses/turn-rules.ts";
import { quantileOf, requireInside } from "../statistics.ts";
import type { LossMask } from "../token-rows.ts";
import { changeTrajectories, filterPart } from "./filter-part.ts";

/** Sampled tokens `[start, end)` of a step. */
export type StepSpan = { readonly start: number; readonly end: number };

/** The mask without the tokens outside the kept steps. It never adds a token. */
export function maskToSteps(
  lossMask: readonly boolean[],
  spans: readonly StepSpan[],
  keepsStep: (step: number) => boolean,
): boolean[] {
  const kept = lossMask.map(() => false);
  for (const [step, { start, end }] of spans.entries()) {
    if (!keepsStep(step)) continue;
    for (let t = start; t < end; t += 1) kept[t] = lossMask[t] ?? false;
  }
  return kept;
}

/**
 * `[B][steps]` whether a step's mean entropy is at or above the batch's quantile.
 *
 * @param stepEntropies - `[B][steps]` nats.
 * @param quantile - in [0, 1]: 0 keeps all, 0.8 the least certain fifth.
 */
export function highEntropySteps(
  stepEntropies: readonly (readonly number[])[],
  quantile: number,
): boolean[][] {
  requireInside("quantile", quantile, 0, 1);
  const all = stepEntropies.flat();
  if (all.length === 0) return stepEntropies.map(() => []);
  const least = quantileOf(all, quantile);
  return stepEntropies.map((row) => row.map((entropy) => entropy >= least));
}

/** `[steps]` mean of a row's per-token numbers over each step's loss tokens; 0 for a step without any. */
export function stepMeans(
  values: ArrayLike<number>,
  lossMask: LossMask[number],
  spans: readonly StepSpan[],
): number[] {
  return spans.map(({ start, end }) => {
    let sum = 0;
    let count = 0;
    for (let t = start; t < end; t += 1) {
      if (!lossMask[t]) continue;
      sum += values[t] as number;
      count += 1;
    }
    return count === 0 ? 0 : sum / count;
  });
}

/** `step-mask`: the loss of selected turns only. Default: turns without a failed call. */
export function stepMask(isChosen?: TurnRule): FilterPart {
  return definePart({ keptTurns: turnOption(isChosen, "ran") }, ({ keptTurns }) => {
    const keeps = turnRule(keptTurns, isChosen);
    return filterPart("step-mask", (groups) =>
      changeTrajectories(groups, (rewarded) =>
        withTurns(rewarded, (i) => keeps(turnOf(rewarded, i), rewarded.trajectory)),
      ),
    );
  });
}

/** `entropy-steps`: the loss of turns whose mean entropy is above a quantile of the batch. */
export function entropySteps(quantile?: number): FilterPart {
  return definePart(
    { entropyStepsQuantile: option(quantile, 0.5) },
    ({ entropyStepsQuantile: quantile }) =>
      filterPart("entropy-steps", (groups) => {
        const all = groups.flatMap(({ trajectories }) => trajectories);
        const means = all.map(({ trajectory }) =>
          trajectory.turns.map(({ sample, start, end }) => {
            const from = trajectory.samples[sample];
            const entropies = new Float64Array(from?.lossMask.length ?? 0);
            for (const { segment, start: at } of from?.spans ?? [])
              entropies.set(segment.entropies, at);
            return stepMeans(entropies, from?.lossMask ?? [], [{ start, end }])[0] ?? 0;
          }),
        );
        const kept = highEntropySteps(means, quantile);
        return changeTrajectories(groups, (rewarded) => {
          const wanted = kept[all.indexOf(rewarded)] ?? [];
          return withTurns(rewarded, (i) => wanted[i] === true);
        });
      }),
  );
}

function turnOf({ trajectory }: RewardedTrajectory, i: number): JudgedTurn {
  return trajectory.turns[i] as JudgedTurn;
}

/** The trajectory with the loss of some turns only. */
function withTurns(
  rewarded: RewardedTrajectory,
  keeps: (turn: number) => boolean,
): RewardedTrajectory {
  return {
    ...rewarded,
    lossMask: rewarded.lossMask.map((mask, sample) => {
      const turns = rewarded.trajectory.turns.flatMap((turn, i) =>
        turn.sample === sample ? [{ turn, i }] : [],
      );
      return maskToSteps(
        mask,
        turns.map(({ turn }) => turn),
        (step) => keeps(turns[step]?.i ?? -1),
      );
    }),
  };
}
