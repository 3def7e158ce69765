/**
 * Caps each visitor's share of a step, however many rollouts they sent; see `boundedAdvantages` of
 * `@waggle/learning`. An attacker with several visitor names counts as several; the edge limits sessions
 * per address.
 */
import { boundedAdvantages, planMinibatch } from "@waggle/learning";
import type { Stage } from "@waggle/learning";
import { withAdjustedAdvantages } from "./adjusted-advantages.ts";

/** The visitor of each rollout, by digest. */
export type Visitors = ReadonlyMap<string, string | undefined>;

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
    const planned = planMinibatch(groups, stage.aggregation, { advantages: estimated });
    return boundedAdvantages(estimated, planned, visitors, share, present);
  });
}
