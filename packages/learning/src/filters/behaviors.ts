/**
 * `behaviour`: demonstrations are chosen by the behaviours they show (checks its sources, recovers from
 * errors), not by whether they succeeded.
 *
 * Source: Behavior Priming ("Beneficial Reasoning Behaviors in Agentic Search").
 */
import { requireInside } from "../statistics.ts";
import { type Selection, selectBy } from "./selection.ts";

/**
 * Keeps runs that show at least `least` of the wanted behaviours and none of the unwanted.
 *
 * @param shown - `[N]` behaviours of each run, by a tagger.
 */
export function showingBehaviors(
  shown: readonly (readonly string[])[],
  wanted: readonly string[],
  least: number,
  unwanted: readonly string[] = [],
): Selection {
  requireInside("least", least, 1, wanted.length);
  return selectBy(shown, (behaviors) => {
    const own = new Set(behaviors);
    if (unwanted.some((behavior) => own.has(behavior))) return "unwanted-behavior";
    return wanted.filter((behavior) => own.has(behavior)).length >= least ? null : "few-behaviors";
  });
}
