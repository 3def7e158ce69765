/**
 * Nobody decides alone what is learned: a visitor's part of a step is bounded, however much of it is theirs.
 * What a rollout weighs is the sum of its tokens' shares of the loss times the size of their advantages. A
 * visitor's rollouts are lowered alike. Who comes as many visitors is many here; sessions are limited by
 * address at the edge.
 */
import { influenceScales, planMinibatch } from "@waggle/learning";
import type { PlannedMinibatch, Stage } from "@waggle/learning";
import { withAdjustedAdvantages } from "../update/adjusted-advantages.ts";

/** Whose a rollout is, by digest. */
export type Visitors = ReadonlyMap<string, string | undefined>;

/** What each visitor's rollouts weigh in a minibatch; those of nobody are left out. */
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
 * The stage with the advantages of each visitor's rollouts lowered to `share` of the minibatch.
 *
 * @param present - visitors whose rollouts had nothing to learn from: they are there all the same.
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
