/**
 * `batch`: a second normalization over the batch, after that of the group, which makes the size of an update
 * independent of the number of groups with a signal.
 *
 * Source: SenseNova-MARS (BN-GSPO), arXiv:2512.24330: group normalization, then batch normalization.
 */
import { definePart } from "../composition/part-options.ts";
import type { AdvantagePart } from "../composition/part.ts";
import type { StateName } from "../composition/state.ts";
import {
  type DeviationConvention,
  deviationOf,
  meanOf,
  requireFiniteRewards,
} from "../statistics.ts";
import type { TokenRows } from "../token-rows.ts";
import { advantagePart } from "./credit.ts";

/**
 * `[N]` advantages of the batch with mean 0 and deviation 1; all 0 if they are equal.
 *
 * @param epsilon - added to the deviation. Default 1e-8.
 */
export function batchNormalizedAdvantages(
  advantages: readonly number[],
  convention: DeviationConvention = "population",
  epsilon: number = 1e-8,
): number[] {
  requireFiniteRewards(advantages);
  const mean = meanOf(advantages);
  const deviation = deviationOf(advantages, convention) + epsilon;
  return advantages.map((advantage) => (advantage - mean) / deviation);
}

/** `batch`: the advantages of `inner`, normalized to mean 0 and deviation 1 over the batch. */
export function batchNormalized<N extends StateName>(
  inner: AdvantagePart<N, "group">,
): AdvantagePart<N, "group"> {
  return definePart({}, (_, [estimator]) => normalizedOverBatch(estimator), [inner]);
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
