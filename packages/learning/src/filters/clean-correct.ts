/**
 * `clean-correct` (GRPO-RoC): oversamples rollouts and keeps half. Failures are drawn uniformly, which
 * preserves the distribution of errors; successes are drawn with a preference for few tool and format errors.
 *
 * Source: Shang et al. 2025, "rStar2-Agent", arXiv:2508.20722 (resample on correct).
 * Differs from it: the share of failures kept is that of the oversampled group, rounded; a success's weight
 * falls with a power of its cleanness instead of the inverse of its penalty.
 */
import { option, definePart } from "../composition/part-options.ts";
import { toolCalls, toolErrors } from "../composition/judged-trajectory.ts";
import type { FilterPart } from "../composition/part.ts";
import { drawUniform, drawWeighted } from "../draw.ts";
import { requireInside, requireSameLength } from "../statistics.ts";
import { filterPart, keepTrajectories } from "./filter-part.ts";
import { selectIndices } from "./selection.ts";
import type { Selection } from "./selected.ts";

/** Outcome and error rates of a rollout. */
export type RolloutQuality = {
  readonly isCorrect: boolean;
  /** Share of failed tool calls, in [0, 1]. */
  readonly toolErrorRate: number;
  /** Share of turns with a format error, in [0, 1]. */
  readonly formatErrorRate: number;
};

/**
 * Selects `size` of the oversampled rollouts.
 *
 * @param sharpness - preference for clean successes; 0 draws them uniformly. Default 1.
 */
export function resampledOnCorrect(
  rollouts: readonly RolloutQuality[],
  size: number,
  random: () => number,
  sharpness: number = 1,
): Selection {
  requireInside("size", size, 1, rollouts.length);
  const correct = rollouts.flatMap(({ isCorrect }, i) => (isCorrect ? [i] : []));
  const wrong = rollouts.flatMap(({ isCorrect }, i) => (isCorrect ? [] : [i]));
  const wrongKept = Math.round((size * wrong.length) / rollouts.length);
  const weights = correct.map((i) => {
    const { toolErrorRate, formatErrorRate } = rollouts[i]!;
    // The weight is above 0 even for the worst rollout, so the group keeps its size.
    return (1 - (toolErrorRate + formatErrorRate) / 2 + 1e-3) ** (4 * sharpness);
  });
  const kept = [
    ...drawUniform(wrong, wrongKept, random),
    ...drawWeighted(weights, size - wrongKept, random).map((at) => correct[at]!),
  ];
  requireSameLength("kept rollouts", kept.length, "size", size);
  return selectIndices(rollouts.length, kept, "oversampled");
}

/** `clean-correct`: from an oversampled group, uniformly drawn failures and preferably clean successes. */
export function cleanCorrect(size?: number, sharpness?: number): FilterPart {
  return definePart(
    { cleanCorrectSize: option(size, 8), cleanCorrectSharpness: option(sharpness, 1) },
    ({ cleanCorrectSize: size, cleanCorrectSharpness: sharpness }) =>
      filterPart("clean-correct", (groups, { random }) => {
        const parts = groups.map((group) =>
          keepTrajectories([group], (all) =>
            resampledOnCorrect(
              all.map(({ trajectory }) => ({
                isCorrect: trajectory.verification.success,
                toolErrorRate: toolErrors(trajectory) / Math.max(1, toolCalls(trajectory)),
                formatErrorRate:
                  trajectory.turns.filter(({ parseError }) => parseError !== null).length /
                  Math.max(1, trajectory.turns.length),
              })),
              Math.min(size, all.length),
              random,
              sharpness,
            ),
          ),
        );
        return {
          groups: parts.flatMap((part) => part.groups),
          dropped: new Map(parts.flatMap(({ dropped }) => [...dropped])),
        };
      }),
  );
}
