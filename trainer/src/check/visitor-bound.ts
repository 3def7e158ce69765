/**
 * Caps each visitor's share of a step, however many rollouts they sent. A rollout's influence is the
 * sum over its tokens of the token's share of the loss times the absolute advantage. All rollouts of a
 * visitor are scaled by the same factor. An attacker with several visitor names counts as several; the
 * edge limits sessions per address.
 */
import { influenceScales, planMinibatch } from "@waggle/learning";
import type { PlannedMinibatch, Stage } from "@waggle/learning";
import { withAdjustedAdvantages } from "../update/adjusted-advantages.ts";

/** The visitor of each rollout, by digest. */
export type Visitors = ReadonlyMap<string, string | undefined>;

/** Influence of each visitor's rollouts in a minibatch; rollouts without a visitor are left out. */
export function visitorWeights(
  { rows, shares, advantages }: PlannedMinibatch,
  visitors: Visitors,
): Map<string, number> {
  const weights = new Map<string, number>();
  for (const [b, { rewarded }] of rows.entries()) {
    const visitor = visitors.get(rewarded.trajectory.id);
    if (visitor === undefined) continue;
    let weight = weights.get(visitor) ?? 0;
    for (const [t, share] of Array.from(shares[b] ?? []).entries()) {
      weight += share * Math.abs(advantages[b]?.[t] ?? 0);
    }
    weights.set(visitor, weight);
  }
  return weights;
}

/**
 * The stage with the advantages of each visitor's rollouts scaled down to at most `share` of the
 * minibatch.
 *
 * @param present - visitors whose rollouts had no signal; they count as visitors with influence 0.
 */
export function withBoundedVisitors(
  stage: Stage,
  visitors: Visitors,
  share: number,
  present: Iterable<string> = [],
): Stage {
  if (share === 1) return stage;
  return withAdjustedAdvantages(stage, (estimated, groups) => {
    const weights = visitorWeights(
      planMinibatch(groups, stage.aggregation, { advantages: estimated }),
      visitors,
    );
    for (const visitor of present) if (!weights.has(visitor)) weights.set(visitor, 0);
    const scales = influenceScales([...weights.values()], share);
    const scaleOf = new Map([...weights.keys()].map((visitor, i) => [visitor, scales[i] ?? 1]));
    return new Map(
      [...estimated].map(([id, rows]) => {
        const scale = scaleOf.get(visitors.get(id) ?? "") ?? 1;
        return [id, rows.map((row) => Float64Array.from(row, (value) => scale * value))];
      }),
    );
  });
}
